import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';

/**
 * Reads `+ <group>` and `- <group>`, a line each. When nobody can write any more, every group that is left is ended:
 * SIGTERM at once, SIGKILL half a second later. `b` (a beat) arms it: then 1.5 s without a line end them too, where `read` knows a
 * time limit (1 s where it knows whole ones alone); `d` disarms. Signals that end a shell are ignored: it ends when its pipe does, and not before.
 */
const PROGRAM = `
trap '' HUP INT QUIT TERM PIPE USR1 USR2
groups=' '
armed=
can() { (echo x | { read -r -t "$1" x && echo "$1"; }) 2>/dev/null; }
timed=$(can 1.5 || can 1)
end() {
  [ "$groups" = ' ' ] && return
  for group in $groups; do kill -TERM "-$group"; done
  sleep 0.5 || sleep 1
  for group in $groups; do kill -KILL "-$group"; done
  groups=' '
} 2>/dev/null
while :; do
  if [ "$armed" ]; then read -r -t "$armed" sign group; else read -r sign group; fi || {
    end
    [ "$armed" ] || exit 0
    armed=
    continue
  }
  case "$sign" in
    +) groups="$groups$group " ;;
    -) case "$groups" in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
    b) armed="$timed" ;;
    d) armed= ;;
  esac
done
`;
/** Knows `read -t` on most systems, which the plain shell of some does not. */
const SHELL = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';

/** A watchdog that ends so soon after it was started will do so again: then groups go without one. */
const TOO_SOON_MS = 1_000;

/**
 * Ends process groups when this process is gone without having ended them itself, kill -9 included. It is a small shell
 * on a pipe from us, in a session of its own, there while there is a group to watch and started anew when it dies.
 */
export class Watchdog {
  readonly #groups = new Set<number>();
  #shell: ChildProcessByStdio<Writable, null, null> | undefined;
  #startedAt = 0;
  #useless = false;
  #beating = false;

  /** Call it at once after the group has begun: only what it was told of is ended. */
  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell === undefined) this.#start();
    else this.#tell('+', group);
  }

  /** The group has ended. */
  release(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#tell('-', group);
    if (this.#groups.size > 0) return;
    this.#shell?.stdin.end();
    this.#shell = undefined;
  }

  /**
   * From the first beat on, 1.5 s without another end all groups: for one of several processes, of which another
   * takes over when this one is silent, be it only suspended.
   */
  beat(): void {
    this.#beating = true;
    this.#shell?.stdin.write('b\n');
  }

  /** Beats are no longer needed. */
  disarm(): void {
    this.#beating = false;
    this.#shell?.stdin.write('d\n');
  }

  #start(): void {
    if (this.#useless) return;
    this.#startedAt = performance.now();
    const shell = spawn(SHELL, ['-c', PROGRAM], {
      // By its own name bash takes our socket for a remote login, and runs its user's .bashrc first.
      argv0: 'sh',
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      cwd: '/',
      detached: true,
    });
    shell.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (this.#shell === shell) this.#shell = undefined;
      this.#useless ||= code === 'ENOENT' || code === 'EACCES';
    });
    // Where no more files can be opened there is no pipe to it: the next group has it tried again.
    if ((shell.stdin as unknown) === undefined) return;
    shell.unref();
    // The pipe is no reason to go on living either.
    (shell.stdin as unknown as { unref?(): void }).unref?.();
    shell.stdin.on('error', () => {});
    shell.on('exit', () => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      this.#useless = performance.now() - this.#startedAt < TOO_SOON_MS;
      if (this.#groups.size > 0) this.#start();
    });
    this.#shell = shell;
    for (const group of this.#groups) this.#tell('+', group);
    if (this.#beating) shell.stdin.write('b\n');
  }

  #tell(sign: '+' | '-', group: number): void {
    this.#shell?.stdin.write(`${sign} ${group}\n`);
  }
}

/** One for the whole process, whose death it watches for. It is there only while there are groups. */
export const watchdog = new Watchdog();
