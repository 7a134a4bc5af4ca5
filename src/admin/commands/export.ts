import type { Command } from 'commander'
import { readCsvForm } from '../../../schemas/delimiter.ts'
import {
  type ExportFormat,
  type ExportKind,
  type ExportLanguage,
  exportLanguages,
  ledgerExportKinds,
} from '../../../schemas/ledger.ts'
import * as cli from './act.ts'
import { choiceParser, exportFormatOption, fromTimeOption, idArgument, toTimeOption } from './arguments.ts'
import type { AdminDeps } from './run.ts'

const exportHelp = (kind: ExportKind) => `
Writes the same lines as GET /dev/exports/${kind} of the API, oldest first. The export
ends with the last line that was booked before the command began.

If the command is stopped or killed, run it again with --resume. It then removes an
incomplete last line and adds the missing lines. With a --to in the past, the result is
identical to the file of an uninterrupted export. Without such a --to, the file also
contains the lines that were booked since. Without --resume, an existing file is never
changed.

The audit trail records the export. In a CSV file, a single quote precedes any text
that a spreadsheet could execute.
${cli.examplesHelp(...exampleEnds.map((end) => exportExample(kind) + end))}`

const exportExample = (kind: ExportKind) =>
  `export ${kind} --business ID --mode live --from 2026-11-01 --to 2026-11-30 --out ${kind}.csv`
const exampleEnds = ['', ' --delimiter semicolon --language fr --resume']

const what: Record<ExportKind, string> = {
  payments: 'the payments of a business',
  refunds: 'the completed refunds of a business',
  entries: "all changes to a business's balance",
}

export function addExportCommands(program: Command): void {
  const group = cli.addSubcommand(program, 'export', 'write payments, refunds or ledger entries to a file')
  for (const kind of ledgerExportKinds) {
    cli
      .addSubcommand(group, kind, `write ${what[kind]} to a file`, exportHelp(kind))
      .requiredOption('--business <id>', 'id of the business', idArgument)
      .requiredOption('--mode <mode>', 'test or live', choiceParser('test', 'live'))
      .requiredOption('--out <file>', 'the file to write')
      .addOption(fromTimeOption('only lines booked'))
      .addOption(toTimeOption('only lines booked'))
      .addOption(exportFormatOption())
      .option('--delimiter <name>', 'comma or semicolon, for csv', delimiterName, 'comma')
      .option('--bom', 'begin the file with a byte order mark for Excel; always with semicolons, for csv')
      .option('--language <code>', languageDescription, choiceParser(...exportLanguages), 'en')
      .option('--resume', 'complete a file that an interrupted export left behind')
      .action(cli.commandAction((deps, ...args: [Options, Command]) => exportFile(deps, kind, ...args)))
  }
}

const delimiterName = choiceParser('comma', 'semicolon')
const languageDescription = 'en, fr or ar: the language of column names and types in csv'

interface Options {
  business: string
  mode: 'test' | 'live'
  out: string
  from?: Date
  to?: Date
  format: ExportFormat
  delimiter: 'comma' | 'semicolon'
  bom?: boolean
  language: ExportLanguage
  resume?: boolean
}

async function exportFile(deps: AdminDeps, kind: ExportKind, options: Options, command: Command) {
  const { completeExportFile, openExportFile } = await import('../../exports/export-file.ts')
  const { createExportWriter, findExportRange } = await import('../../exports/export-ledger.ts')
  const { endSpanNow } = await import('../../input/span.ts')
  const { createCapacity } = await import('../../limits/capacity.ts')
  const { createListReader } = await import('../../lists/lists.ts')
  const { business, mode, out, from = null, to = null, format, language, resume = false } = options
  await cli.expectBusiness(deps, business)
  if (from !== null && to !== null && from > to)
    throw new cli.CommandFailed('--from must not be later than --to.')
  for (const name of ['delimiter', 'bom', 'language'])
    if (format !== 'csv' && command.getOptionValueSource(name) === 'cli')
      throw new cli.CommandFailed(`--${name} applies only to --format csv.`)
  const owner = { businessId: business, sandbox: mode === 'test' }
  const csv = readCsvForm({ delimiter: options.delimiter, ...(options.bom && { bom: 'true' }) })
  const reading = { lists: createListReader(deps, createCapacity()) }
  const span = endSpanNow(deps, { from, to })
  const set = { ...(from && { from }), ...(to && { to }), ...(resume && { resume }) }
  const after = { kind, mode, format, ...set }
  await deps.record({ act: 'ledger.exported', subject: business, businessId: business, after })
  const positions = await findExportRange(reading, owner, kind, span)
  const writer = createExportWriter({ kind, format, csv, language })
  const wanted = { owner, kind, positions, writer, quotes: format === 'csv' }
  const started = await openExportFile(reading, out, wanted, resume)
  const total = positions.last - positions.first + 1
  try {
    const written = await cli.withProgressBar(deps, total, (advance) => {
      advance(started.lines)
      return completeExportFile(reading, started, wanted, deps.onCtrlC(), advance)
    })
    if (written.lines < total)
      throw new cli.CommandFailed(
        `Stopped after ${written.lines} of ${total} lines. Run the command again with --resume.`,
      )
    return { file: out, ...written }
  } finally {
    await started.file.close()
  }
}
