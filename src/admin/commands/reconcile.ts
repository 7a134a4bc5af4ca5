import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { readInstant } from '../../input/instant.ts'
import { createTimeParser, type TimeParser } from '../../reconciliation/cells.ts'
import {
  type ProviderFileHeaders,
  providerFileColumns,
  providerFileDelimiters,
} from '../../reconciliation/provider-file.ts'
import type { ReconciliationResult } from '../../reconciliation/reconcile.ts'
import { differenceDisplay } from '../../staff-acts/shown.ts'
import { addSubcommand, CommandFailed, commandAction, examplesHelp } from './act.ts'
import { choiceParser, createParser } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { detailsText, formatTable, toColumn } from './text.ts'

const help = `
Compares the wallet provider's CSV file for one UTC day with the live payments and
refunds that this service recorded on that day. The keys are the idempotency keys
that the provider received. The differences are:
  missing here     only the provider has the payment or refund
  missing there    only this service has it
  other amount     the amounts without the fee differ
  other fee        the payer's fees differ
  other day        one side has a day other than --day
  other kind       one side has a payment, the other a refund
  repeated there   a second row with the same key

The file has a header row. By default, its columns are key, kind, amount, fee and
time, in any case; kind and fee may be missing. A minus sign before an amount, or
parentheses around it, mark a refund. A blank fee is 0. A time is an ISO 8601 date or
date-time, in UTC unless it has an offset, or in UTC as --time-format says.

The exit code is 0 without differences and 1 with differences. It is 2 if the
comparison failed, for example because of a faulty row; then no run is stored.
Otherwise, the run appears on the staff pages and in the audit trail.
${examplesHelp(
  'reconcile --provider day.csv --day 2026-11-25',
  'reconcile --provider day.csv --day 2026-11-25 --decimal --columns key=ref,amount=montant,time=date',
)}`

/** An exit code of 1 means that there are differences. */
const failureCode = 2

interface Options {
  provider: string
  day: string
  columns?: ProviderFileHeaders
  decimal?: boolean
  timeFormat?: TimeParser
  delimiter?: keyof typeof providerFileDelimiters
  wallet?: string
}

export function addReconcileCommand(program: Command): void {
  const description = "compare the wallet provider's records of one day with those of this service"
  const decimal = 'amounts have decimals, such as 1234.50 or "1 234,50"; by default, they are centimes'
  const delimiter = 'comma, semicolon or tab; by default, detected in the header row'
  const timeFormat = "the form of times, such as 'DD/MM/YYYY HH:mm' (also ss); by default, ISO 8601"
  const wallet = 'only payments and refunds of the provider with this name (WALLET_PROVIDER_NAME)'
  addSubcommand(program, 'reconcile', description, help)
    .requiredOption('--provider <file>', "the provider's CSV file in UTF-8, or - for standard input")
    .requiredOption('--day <day>', 'the UTC day, such as 2026-11-25', utcDayText)
    .option('--columns <list>', "the file's column headers, such as key=ref,amount=montant", headers)
    .option('--decimal', decimal)
    .option('--delimiter <delimiter>', delimiter, choiceParser(...Object.keys(providerFileDelimiters)))
    .option('--time-format <format>', timeFormat, timeParser)
    .option('--wallet <name>', wallet)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : failureCode))
    .action(commandAction(run, textOf, failureCode))
}

const utcDayText = createParser((text) => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && readInstant(text, 'start') !== null
  return isDay ? text : null
}, 'Must be a date, such as 2026-11-25.')

const timeParser = createParser(
  createTimeParser,
  "Must have YYYY, MM and DD, and may have HH, mm and ss, such as 'DD/MM/YYYY HH:mm'.",
)

function headers(text: string): ProviderFileHeaders {
  const named: ProviderFileHeaders = {}
  for (const part of text.split(',')) {
    const [, column = '', header = ''] = /^\s*(\w+)\s*=(.*)$/.exec(part) ?? []
    const name = providerFileColumns.find((each) => each === column)
    if (name === undefined || header.trim() === '')
      throw new InvalidArgumentError(
        `Must be a list such as key=ref,amount=montant. The columns are ${providerFileColumns.join(', ')}.`,
      )
    if (named[name] !== undefined) throw new InvalidArgumentError(`The column ${name} is named twice.`)
    named[name] = header.trim()
  }
  return named
}

type Result = ReconciliationResult & { day: string; file: string }

async function run(deps: AdminDeps, options: Options) {
  const { provider, day, columns = {}, decimal = false, timeFormat, delimiter, wallet } = options
  if (new Date(`${day}T00:00:00Z`) > deps.now()) throw new CommandFailed(`The day ${day} has not begun yet.`)
  const fileName = provider === '-' ? 'standard input' : basename(provider)
  const { reconcileFile } = await import('../../reconciliation/reconcile.ts')
  const { countDifferences } = await import('../../reconciliation/reconciliation.ts')
  const file = {
    day,
    wallet: wallet === undefined ? null : `live:${wallet}`,
    fileName,
    bytes: provider === '-' ? process.stdin : bytesOf(provider),
    format: {
      columns,
      isDecimal: decimal,
      parseTime: timeFormat ?? null,
      delimiter: delimiter ? providerFileDelimiters[delimiter] : null,
    },
  }
  const result = await reconcileFile(deps, file, deps.by)
  if ('listed' in result) {
    for (const { line, message } of result.listed) process.stderr.write(`Line ${line}: ${message}\n`)
    throw new CommandFailed(`${result.count} rows are faulty. Nothing was compared or stored.`)
  }
  if (countDifferences(result.counts) > 0) process.exitCode = 1
  return { ...result, day, file: fileName }
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    throw new CommandFailed(`${path} cannot be read: ${(error as Error).message}.`)
  }
}

async function textOf({ id, day, file, sha256, counts, differences }: Result) {
  const { countDifferences, maxStoredDifferences } = await import('../../reconciliation/reconciliation.ts')
  const { differences: byKind, ...totals } = counts
  const total = countDifferences(counts)
  const kinds = Object.entries(byKind).filter(([, count]) => count > 0)
  const found = Object.fromEntries(kinds.map(([kind, count]) => [`  ${kind}`, count]))
  const summary = detailsText({ day, file, sha256, run: id, ...totals, differences: total, ...found })
  if (total === 0) return summary
  const more = total > differences.length ? `\n\nThese are the first ${differences.length} of ${total}.` : ''
  const stored =
    total > maxStoredDifferences ? `\n\nOnly the first ${maxStoredDifferences} are stored with the run.` : ''
  const table = formatTable(Object.values(differenceDisplay).map(toColumn), differences)
  return `${table}${more}${stored}\n\n${summary}`
}
