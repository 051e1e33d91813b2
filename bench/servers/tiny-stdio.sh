#!/bin/sh
# A whole MCP server of the 2025 revisions, small enough to be started a thousand times: `echo` answers, `wait` never
# does, and `die` ends the process. The first argument only marks it, so that it can be found among all processes.
while read -r line; do
  id=${line#*\"id\":}
  id=${id%%[,\}]*}
  case $line in
    *'"method":"notifications/'*) continue ;;
    *'"method":"initialize"'*)
      result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tiny","version":"1"}}' ;;
    *'"method":"tools/list"'*)
      schema='"inputSchema":{"type":"object"}'
      result="{\"tools\":[{\"name\":\"echo\",$schema},{\"name\":\"wait\",$schema},{\"name\":\"die\",$schema}]}" ;;
    *'"name":"die"'*) exit 1 ;;
    *'"name":"wait"'*) continue ;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"here"}]}' ;;
    *)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id"
      continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
