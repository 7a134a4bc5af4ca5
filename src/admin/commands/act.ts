import type { Command } from 'commander'
import { type AdminDeps, Failed, withAdminDeps } from './run.ts'

/** Wraps an act: opens MongoDB, prints what it answers as one JSON object (or as lines), exit code 0 only if done. */
export const act = <Args extends unknown[]>(
  run: (deps: AdminDeps, ...args: Args) => Promise<Record<string, unknown>>,
) =>
  function withDeps(this: Command, ...args: Args): Promise<void> {
    const { json } = this.optsWithGlobals<{ json?: boolean }>()
    return withAdminDeps(json === true, (deps) => run(deps, ...args))
  }

/** What is there no more is a failure, not an answer. */
export function found<T>(value: T | null | false, what: string): T {
  if (value === null || value === false) throw new Failed(`${what}.`)
  return value
}
