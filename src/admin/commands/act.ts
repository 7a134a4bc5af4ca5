import { type Command, Help } from 'commander'
import { type Effects, namedEffects } from '../acts/effects.ts'
import type { AdminDeps } from './run.ts'
import { linesOf } from './text.ts'

/** An expected failure of a command. The message is shown to the operator. */
export class Failed extends Error {}

/** Adds a command to a group. */
export const subcommand = (group: Command, name: string, description: string): Command =>
  group.command(name).description(description)

/** Adds a command that takes the id of an object, after which the group is named. */
export const subcommandOnId = (group: Command, name: string, description: string): Command =>
  subcommand(group, name, description).argument('<id>', `id of the ${group.name()}`)

/**
 * Wraps a command's action: connects to MongoDB, runs the action, and prints the result as JSON or as text. The exit
 * code is 0 only if the action succeeds, and `failureCode` if it throws. Actions import what they use when they run, so
 * a help text or a refused argument does not wait for the loading of MongoDB's driver.
 */
export const act = <Args extends unknown[], Result extends object>(
  run: (deps: AdminDeps, ...args: Args) => Promise<Result>,
  toText: (result: Result) => string | Promise<string> = linesOf,
  failureCode = 1,
) =>
  async function withDeps(this: Command, ...args: Args): Promise<void> {
    const { json, reason } = this.optsWithGlobals<{ json?: boolean; reason?: string }>()
    const { withAdminDeps } = await import('./run.ts')
    const output = { asJson: json === true, toText, failureCode }
    await withAdminDeps(reason, (deps) => run(deps, ...args), output)
  }

/** Returns `value`. Throws Failed with `message` if `value` is null or false. */
export function found<T>(value: T | null | false, message: string): T {
  if (value === null || value === false) throw new Failed(`${message}.`)
  return value
}

/** Returns the consequences of an act and an example as the help text of its command, such as `key suspend`. */
export function effectsHelp(effects: Effects, noun: string, name: string): string {
  const { undo, undoNote } = effects
  const parts = namedEffects(effects).map(([part, sentence]) => `\n${wrapped(`${part}: ${sentence}`)}`)
  const last = undo === undefined ? wrapped(`Undo: ${undoNote}`) : `Undo with: ${noun} ${undo}`
  return `${parts.join('')}\n${last}\n\nExample:\n  admin ${noun} ${name} ID`
}

const wrapped = (text: string): string => new Help().boxWrap(text, 80)
