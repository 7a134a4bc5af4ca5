import type { Command } from 'commander'
import { type AdminDeps, Failed, withAdminDeps } from './run.ts'

/**
 * Wraps the action of a command: opens MongoDB and prints the result as JSON or as lines. The exit code is 0 only on
 * success.
 */
export const act = <Args extends unknown[]>(
  run: (deps: AdminDeps, ...args: Args) => Promise<Record<string, unknown>>,
) =>
  function withDeps(this: Command, ...args: Args): Promise<void> {
    const { json } = this.optsWithGlobals<{ json?: boolean }>()
    return withAdminDeps(json === true, (deps) => run(deps, ...args))
  }

/** Returns `value`. Throws Failed with `message` if there is none. */
export function found<T>(value: T | null | false, message: string): T {
  if (value === null || value === false) throw new Failed(`${message}.`)
  return value
}
