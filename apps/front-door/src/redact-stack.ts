/** Lines of a stack trace, without the spaces at their end: V8, Java and .NET, Python, Go, Ruby, PHP, Rust. */
const FRAME = [
  /^\s*at\s+\S.*\([^()]*\)$/,
  /^\s*at\s+\S.*:\d+\)?$/,
  /^\s*at\s+\S.*:line \d+$/,
  /^\s*at\s+(?:async\s+)?(?:<anonymous>|(?:file:|node:|\/|[A-Za-z]:\\)\S*)$/,
  /^\s*\.{3}\s*\d+\s+(?:more|common frames omitted)/,
  /^\s*(?:goroutine \d+ \[|created by \S)/,
  /^\s+\S+\.\w{1,5}:\d+(?: \+0x[0-9a-f]+)?$/,
  /^\s*from \S+:\d+:in\b/,
  /^\s*#\d+\s+(?:\S+\(\d+\)|\{main\}|\[internal function\])/,
  /^\s*(?:stack backtrace:|\d+:\s+(?:0x[0-9a-f]+\s+-\s+)?[\w<>]+::)/,
  /^\s*[~^][\s~^]*$/,
];
const PYTHON_FRAME = /^\s*File "[^"]*", line \d+/;
/** `main.(*Server).handle(0xc000010000)`: a line of a trace only where the text is one of Go's. */
const GO_FRAME = /^\s*[\w./()*-]+\([^()]*\)$/;

/** A frame in the middle of a line: `at fn (file:1:2)`, `at pkg.Class.method(File.java:12)`, `at A.B() in C:\\x.cs:line 3`. */
const INLINE_FRAME =
  /\sat\s(?:async\s)?[^\s()]{0,200}(?:\s\[as [^\]\s]{0,80}\])?\s?(?:\([^()\n]{0,500}(?::\d+|<anonymous>|native|Native Method|Unknown Source)\)|\([^()\n]{0,200}\)\sin\s[^\n]{1,300}?:line \d+)/g;
const TRACEBACK = /Traceback \(most recent call last\):?/g;

/** A text without the frames of stack traces; the lines that say what went wrong stay. */
export const withoutStack = (text: string): string => {
  const isGo = /goroutine \d+ \[/.test(text);
  let inPythonFrame = false;
  const lines = text.split('\n').filter((line) => {
    const trimmed = line.trimEnd();
    // Python shows the line of code under each frame.
    const code = inPythonFrame && /^ {4,}\S/.test(trimmed);
    inPythonFrame = PYTHON_FRAME.test(trimmed);
    return !code && !inPythonFrame && !(isGo && GO_FRAME.test(trimmed)) && !FRAME.some((frame) => frame.test(trimmed));
  });
  return lines.join('\n').replace(TRACEBACK, '').replace(INLINE_FRAME, '');
};
