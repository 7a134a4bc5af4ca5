import { type Command, Help, Option } from 'commander'
import type { IdPage, IdPageRequest } from '../../mongo/id-page.ts'
import { type ActGroup, type FormValues, namedEffects, type StaffAct } from '../../staff-acts/act.ts'
import { someId, wholeNumber } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type Column, linesOf, tableText } from './text.ts'

/** An expected failure. The operator sees its message. */
export class CommandFailed extends Error {}

export const subcommand = (group: Command, name: string, description: string): Command =>
  group.command(name).description(description)

/** The help names the group: `id of the …`. */
export const subcommandOnId = (group: Command, name: string, description: string): Command =>
  subcommand(group, name, description).argument('<id>', `id of the ${group.name()}`)

/**
 * Connects to MongoDB, runs the action, and prints its result as JSON or text. The exit code is 0 only on success, and
 * `failureCode` if the action throws. Actions import what they use when they run, so a help text or a refused argument
 * doesn't wait for MongoDB's driver.
 */
export const commandAction = <Args extends unknown[], Result extends object>(
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

/** Throws Failed with `message` if `value` is null or false. */
export function orFail<T>(value: T | null | false, message: string): T {
  if (value === null || value === false) throw new CommandFailed(`${message}.`)
  return value
}

/** One command per act. The help says what follows from the act. */
export function addActCommands<Found>(
  commands: Command,
  group: ActGroup<Found>,
  parseId: (text: string) => string = someId,
): void {
  for (const [name, each] of Object.entries(group.acts)) {
    const command = subcommand(commands, each.command ?? name, each.description)
    const isOnObject = group.path.includes(':id')
    if (isOnObject) command.argument('<id>', `id of the ${group.object ?? group.noun}`, parseId)
    const fields = Object.entries(each.fields ?? {})
    for (const [field, { option = '', choices, isRequired }] of fields) {
      const flag = new Option(`--${kebab(field)} <${choices === undefined ? 'text' : field}>`, option)
      if (choices !== undefined) flag.choices([...choices])
      command.addOption(flag.makeOptionMandatory(isRequired === true))
    }
    command.addHelpText('after', effectsHelp(group, each, command.name()))
    command.action(
      commandAction((deps, ...args: unknown[]) =>
        isOnObject
          ? perform(deps, group, each, String(args[0]), args[1] as FormValues)
          : perform(deps, group, each, '', args[0] as FormValues),
      ),
    )
  }
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

async function perform<Found>(
  deps: AdminDeps,
  group: ActGroup<Found>,
  each: StaffAct<Found>,
  id: string,
  options: FormValues,
): Promise<object> {
  const { object: what = group.noun } = group
  const object = orFail(await group.find(deps, id), `There is no ${what} ${id}`)
  const fields = Object.entries(each.fields ?? {})
  if (fields.length > 0 && Object.keys(options).length === 0)
    throw new CommandFailed(`Set at least one of ${fields.map(([name]) => `--${kebab(name)}`).join(', ')}.`)
  const values = Object.fromEntries(
    fields.map(([name, { emptyWord, current }]) => {
      const text = options[name] ?? current(object)
      return [name, text === emptyWord ? '' : text]
    }),
  )
  const obstacle = each.isDone?.(object) ? null : (each.obstacle?.(object) ?? null)
  if (obstacle !== null) throw new CommandFailed(obstacle)
  const faults = each.faults?.(values) ?? {}
  const result = Object.keys(faults).length > 0 ? { faults } : await each.run(deps, object, deps.by, values)
  if (result === null) throw new CommandFailed(`The ${what} ${id} has just been changed. Nothing was done.`)
  if ('faults' in result)
    throw new CommandFailed(
      Object.entries(result.faults)
        .map(([name, fault]) => `--${kebab(name)}: ${fault}`)
        .join('\n'),
    )
  return result.done
}

/** The consequences of an act and an example, for the help of a command such as `key suspend`. */
function effectsHelp<Found>(
  { noun, acts, exampleId = 'ID', path }: ActGroup<Found>,
  each: StaffAct<Found>,
  name: string,
) {
  const { undo, undoNote } = each.effects
  const parts = namedEffects(each.effects).map(([part, sentence]) => `\n${wrapped(`${part}: ${sentence}`)}`)
  const undoName = undo === undefined ? '' : (acts[undo]?.command ?? undo)
  const last = undo === undefined ? wrapped(`Undo: ${undoNote}`) : `Undo with: ${noun} ${undoName}`
  const [first] = Object.entries(each.fields ?? {})
  const option =
    first === undefined
      ? ''
      : ` --${kebab(first[0])} ${first[1].choices?.[0] ?? first[1].emptyWord ?? 'NAME'}`
  const example = `admin ${noun} ${name}${path.includes(':id') ? ` ${exampleId}` : ''}${option}`
  return `${parts.join('')}\n${last}\n\nExample:\n  ${example}`
}

const wrapped = (text: string): string => new Help().boxWrap(text, 80)

/**
 * Shows a progress bar for `total` items on stderr while `work` runs, unless stderr isn't a terminal or the command
 * runs with --json. `work` reports how many items it has completed.
 */
export async function withProgress<Result>(
  { asJson }: { asJson: boolean },
  total: number,
  work: (advance: (count: number) => void) => Promise<Result>,
): Promise<Result> {
  if (asJson || !process.stderr.isTTY || total === 0) return work(() => undefined)
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({
    format: '{bar} {value} of {total}, {eta_formatted} left',
    stream: process.stderr,
    // Ctrl-C ends some commands immediately, so a hidden cursor or disabled line wrapping would never be restored.
    hideCursor: false,
    linewrap: true,
  })
  bar.start(total, 0)
  return work((count) => bar.increment(count)).finally(() => bar.stop())
}

const defaultLimit = 50
const maxLimit = 500

interface PageOptions {
  limit: number
  after?: string
  business?: string
}

/**
 * Makes a command print one page of a list, as a table or as `{"items":[…],"next":…}`, with options for paging.
 * `readAfter` parses `--after`. All other options are the filter; --business is its businessId.
 */
export const asList = <Filter extends object, Item extends object>(
  command: Command,
  columns: readonly Column<Item>[],
  read: (deps: AdminDeps, filter: Filter, slice: IdPageRequest) => Promise<IdPage<Item>>,
  readAfter: (text: string) => string = someId,
): Command =>
  command
    .option('--limit <n>', `items per page, at most ${maxLimit}`, wholeNumber(1, maxLimit), defaultLimit)
    .option('--after <id>', 'begin after this item: the "next" of the previous page', readAfter)
    .action(
      commandAction(
        (deps, { limit, after, business, ...options }: PageOptions) => {
          const filter = business === undefined ? options : { ...options, businessId: business }
          return read(deps, filter as Filter, { limit, after: after ?? null })
        },
        (page) => pageText(columns, page),
      ),
    )

/** The last line shows how to get the next page. */
export function pageText<Item>(columns: readonly Column<Item>[], { items, next }: IdPage<Item>): string {
  if (items.length === 0) return 'None.'
  const more = next === null ? '' : `\n\nMore: add --after ${next}`
  return `${tableText(columns, items)}${more}`
}
