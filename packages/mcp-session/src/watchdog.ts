import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Reads `+ <group>` and `- <group>`, a line each. When nobody can write any more, every group that is left is ended:
 * SIGTERM at once, SIGKILL a second later. Signals that end a shell are ignored: it ends when its pipe does, and not before.
 */
const PROGRAM = `
trap '' HUP INT QUIT TERM PIPE USR1 USR2
groups=' '
while read -r sign group; do
  case "$sign" in
    +) groups="$groups$group " ;;
    -) case "$groups" in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
  esac
done
for group in $groups; do kill -TERM "-$group"; left=1; done 2>/dev/null
[ -n "$left" ] || exit 0
sleep 1
for group in $groups; do kill -KILL "-$group"; done 2>/dev/null
`;

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

  #start(): void {
    if (this.#useless) return;
    this.#startedAt = performance.now();
    const shell = spawn('/bin/sh', ['-c', PROGRAM], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      cwd: '/',
      detached: true,
    });
    shell.unref();
    // The pipe is no reason to go on living either.
    (shell.stdin as unknown as { unref?(): void }).unref?.();
    shell.stdin.on('error', () => {});
    shell.on('error', () => (this.#useless = true));
    shell.on('exit', () => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      this.#useless = performance.now() - this.#startedAt < TOO_SOON_MS;
      if (this.#groups.size > 0) this.#start();
    });
    this.#shell = shell;
    for (const group of this.#groups) this.#tell('+', group);
  }

  #tell(sign: '+' | '-', group: number): void {
    this.#shell?.stdin.write(`${sign} ${group}\n`);
  }
}

/** One for the whole process, whose death it watches for. It is there only while there are groups. */
export const watchdog = new Watchdog();
