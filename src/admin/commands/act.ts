import type { Command } from 'commander'
import { operator } from './operator.ts'
import { type AdminDeps, Failed, withAdminDeps } from './run.ts'
import { linesOf } from './text.ts'

/**
 * Wraps a command's action: connects to MongoDB, runs the action, and prints the result as JSON or as text. The exit
 * code is 0 only if the action succeeds, and `failureCode` if it throws.
 */
export const act = <Args extends unknown[], Result extends object>(
  run: (deps: AdminDeps, ...args: Args) => Promise<Result>,
  toText: (result: Result) => string = linesOf,
  failureCode = 1,
) =>
  function withDeps(this: Command, ...args: Args): Promise<void> {
    const { json, reason } = this.optsWithGlobals<{ json?: boolean; reason?: string }>()
    const output = { asJson: json === true, toText, failureCode }
    return withAdminDeps(operator(reason), (deps) => run(deps, ...args), output)
  }

/** Returns `value`. Throws Failed with `message` if `value` is null or false. */
export function found<T>(value: T | null | false, message: string): T {
  if (value === null || value === false) throw new Failed(`${message}.`)
  return value
}
