import { type Command, Help, Option } from 'commander'
import type { IdPage, IdPageRequest } from '../../mongo/id-page.ts'
import { type ActionGroup, type FormValues, listEffects, type StaffAction } from '../../staff-acts/act.ts'
import { idArgument, integerParser } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type CommandColumn, detailsText, fieldLines, formatTable } from './text.ts'

export class CommandFailed extends Error {}

export const addSubcommand = (group: Command, name: string, description: string, help = ''): Command =>
  group.command(name).description(description).addHelpText('after', help)

export const subcommandOnId = (group: Command, name: string, description: string, help: string): Command =>
  addSubcommand(group, name, description, help).argument('<id>', `id of the ${group.name()}`)

export function examplesHelp(...lines: string[]): string {
  const title = lines.length === 1 ? 'Example' : 'Examples'
  return `\n${title}:\n${lines.map((line) => `  admin ${line}`).join('\n')}`
}

/** Defers each command's imports, so that `--help` responds at once. */
export const commandAction = <Args extends unknown[], Result extends object>(
  run: (deps: AdminDeps, ...args: Args) => Promise<Result>,
  toText: (result: Result) => string | Promise<string> = fieldLines,
  failureCode = 1,
) =>
  async function withDeps(this: Command, ...args: Args): Promise<void> {
    const { json, reason } = this.optsWithGlobals<{ json?: boolean; reason?: string }>()
    const { withAdminDeps } = await import('./run.ts')
    const output = { asJson: json === true, toText, failureCode }
    await withAdminDeps(reason, (deps) => run(deps, ...args), output)
  }

export function orFail<T>(value: T | null | false, message: string): T {
  if (value === null || value === false) throw new CommandFailed(`${message}.`)
  return value
}

export const expectBusiness = async (deps: AdminDeps, id: string) =>
  orFail(await deps.Business.exists({ _id: id }), `There is no business ${id}`)

export function addActCommands<Found>(
  commands: Command,
  group: ActionGroup<Found>,
  parseId = idArgument,
): void {
  for (const [name, each] of Object.entries(group.acts)) {
    const command = addSubcommand(commands, each.command ?? name, each.description)
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
      commandAction((deps, ...args: unknown[]) => {
        const [id, options] = isOnObject ? args : ['', ...args]
        return perform(deps, group, each, String(id), options as FormValues)
      }),
    )
  }
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

async function perform<Found>(
  deps: AdminDeps,
  group: ActionGroup<Found>,
  each: StaffAction<Found>,
  id: string,
  options: FormValues,
) {
  const { object: what = group.noun } = group
  const object = orFail(await group.find(deps, id), `There is no ${what} ${id}`)
  const fields = Object.entries(each.fields ?? {})
  const optionNames = fields.map(([name]) => `--${kebab(name)}`)
  if (fields.length > 0 && Object.keys(options).length === 0)
    throw new CommandFailed(`Set at least one of ${optionNames.join(', ')}.`)
  const values = Object.fromEntries(
    fields.map(([name, { emptyWord, current }]) => {
      const text = options[name] ?? current(object)
      return [name, text === emptyWord ? '' : text]
    }),
  )
  const obstacle = each.isDone?.(object) ? null : (each.obstacle?.(object) ?? null)
  if (obstacle !== null) throw new CommandFailed(obstacle)
  const faults = each.faults?.(values) ?? {}
  const run = () =>
    each.run(deps, object, deps.by, values).catch(async (error: unknown) => {
      const text = (await group.refusalText?.(error)) ?? null
      throw text === null ? error : new CommandFailed(text)
    })
  const result = Object.keys(faults).length > 0 ? { faults } : await run()
  if (result === null)
    throw new CommandFailed(
      `The ${what} ${id} has just been changed, so nothing was done. Check it and try again.`,
    )
  if ('done' in result) return result.done
  const lines = Object.entries(result.faults).map(([name, fault]) => `--${kebab(name)}: ${fault}`)
  throw new CommandFailed(lines.join('\n'))
}

function effectsHelp<Found>(
  { noun, acts, exampleId = 'ID', path }: ActionGroup<Found>,
  { effects, fields = {} }: StaffAction<Found>,
  name: string,
) {
  const { undo, undoNote } = effects
  const parts = listEffects(effects).map(([part, sentence]) => wrapped(`${part}: ${sentence}`))
  const last =
    undo === undefined ? wrapped(`Undo: ${undoNote}`) : `Undo with: ${noun} ${acts[undo]?.command ?? undo}`
  const options = Object.entries(fields).map(
    ([field, { choices, emptyWord }]) => `--${kebab(field)} ${choices?.[0] ?? emptyWord ?? 'NAME'}`,
  )
  const example = [noun, name, ...(path.includes(':id') ? [exampleId] : []), ...options.slice(0, 1)]
  return `\n${[...parts, last].join('\n')}\n${examplesHelp(example.join(' '))}`
}

const wrapped = (text: string) => new Help().boxWrap(text, 80)

/** `work` calls `advance` with the number of items that it just finished. */
export async function withProgressBar<Result>(
  { asJson }: { asJson: boolean },
  total: number,
  work: (advance: (count: number) => void) => Promise<Result>,
): Promise<Result> {
  if (asJson || !process.stderr.isTTY || total === 0) return work(() => undefined)
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({
    format: '{bar} {value} of {total}, {eta_formatted} left',
    stream: process.stderr,
    // After Ctrl-C, the bar couldn't restore a hidden cursor.
    hideCursor: false,
    linewrap: true,
  })
  bar.start(total, 0)
  return work((count) => bar.increment(count)).finally(() => bar.stop())
}

const defaultLimit = 50
const maxLimit = 500

type PageOptions = { limit: number; after?: string | null; business?: string }

type ReadPage<Filter, Item> = (deps: AdminDeps, filter: Filter, slice: IdPageRequest) => Promise<IdPage<Item>>

/** All options except `--limit` and `--after` form the filter. */
export const addListAction = <Filter extends object, Item extends object>(
  command: Command,
  columns: readonly CommandColumn<Item>[],
  load: () => Promise<ReadPage<Filter, Item>>,
  readAfter = idArgument,
): Command =>
  command
    .option('--limit <n>', `items per page, at most ${maxLimit}`, integerParser(1, maxLimit), defaultLimit)
    .option('--after <id>', 'begin after this item: the "next" of the previous page', readAfter)
    .action(
      commandAction(
        async (deps, { limit, after = null, business, ...options }: PageOptions) => {
          const filter = business === undefined ? options : { ...options, businessId: business }
          const read = await load()
          return read(deps, filter as Filter, { limit, after })
        },
        (page) => pageText(columns, page),
      ),
    )

export const addShowCommand = <Shown extends object>(
  group: Command,
  description: string,
  help: string,
  load: () => Promise<(deps: AdminDeps, id: string) => Promise<Shown | null>>,
  toText: (shown: Shown) => string = detailsText,
): Command =>
  subcommandOnId(group, 'show', description, help).action(
    commandAction(async (deps, id: string) => {
      const lookUp = await load()
      return orFail(await lookUp(deps, id), `There is no ${group.name()} ${id}`)
    }, toText),
  )

export function pageText<Item>(columns: readonly CommandColumn<Item>[], { items, next }: IdPage<Item>) {
  if (items.length === 0) return 'None.'
  const more = next === null ? '' : `\n\nMore: add --after ${next}`
  return `${formatTable(columns, items)}${more}`
}
