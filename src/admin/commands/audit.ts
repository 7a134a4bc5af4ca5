import { once } from 'node:events'
import type { Command } from 'commander'
import type { ExportFormat } from '../../../schemas/ledger.ts'
import { auditedActions } from '../../audit/acts.ts'
import type { AuditFilter } from '../../audit/list.ts'
import type { ExpectedSeal } from '../../verification/seal.ts'
import { addSubcommand, CommandFailed, commandAction, examplesHelp } from './act.ts'
import * as args from './arguments.ts'
import type { AdminDeps } from './run.ts'

const verifyHelp = `
Recomputes the digest of every sealed line and of every seal. The exit code is 0
only if there are seals, and nothing was changed, removed or added later. Workers
seal new lines every night, so today's lines have no seal yet.

Someone with full access to MongoDB can remove the last seals together with their
lines. To detect this, compare with a copy of a digest outside MongoDB: search the
logs for the latest "audit.sealed" or "audit.verified", and pass its number and
digest with --expect. Lines that were changed before they were sealed cannot be detected.
${examplesHelp('audit verify', 'audit verify --expect 56:Zm9vYmFyYmF6…')}`

const exportHelp = `
In a CSV file, a single quote precedes any text that a spreadsheet could execute.
${examplesHelp(
  'audit export --from 2026-01-01 > audit.csv',
  '--reason "yearly audit" audit export --format jsonl > audit.jsonl',
)}`

export function addAuditCommands(program: Command): void {
  const audit = addSubcommand(program, 'audit', 'verify and export the audit trail')
  addSubcommand(audit, 'verify', 'prove that the sealed lines of the audit trail are unchanged', verifyHelp)
    .option('--expect <number:digest>', 'a seal from the logs', knownSeal)
    .action(commandAction(verify))
  const exported = 'print the audit trail as a file, newest lines first'
  addSubcommand(audit, 'export', `${exported}; the export itself is recorded in the audit trail`, exportHelp)
    .addOption(args.exportFormatOption())
    .addOption(args.fromTimeOption('lines'))
    .addOption(args.toTimeOption('lines'))
    .option('--act <act>', 'lines with this action', args.choiceParser(...auditedActions))
    .option('--who <name>', 'lines by this actor')
    .option('--business <id>', 'lines about this business', args.idArgument)
    .action(commandAction(exportTrail, () => ''))
}

const knownSeal = args.createParser((text): ExpectedSeal | null => {
  const [, number, digest] = /^([1-9]\d{0,8}):([\w-]{43})$/.exec(text) ?? []
  return number === undefined || digest === undefined ? null : { number: Number(number), digest }
}, 'Must be the number and the digest of a seal, separated by a colon.')

async function verify(deps: AdminDeps, { expect = null }: { expect?: ExpectedSeal | null }) {
  const { verifyAuditTrail } = await import('../../verification/verify-trail.ts')
  const { createPacer } = await import('../../work/pace.ts')
  const { faults, ...verified } = await verifyAuditTrail(deps, createPacer(), expect)
  const proven = verified.faultCount === 0 && verified.seals > 0
  if (!proven) process.exitCode = 1
  if (verified.seals === 0)
    process.stderr.write(
      'No lines are sealed yet, so nothing is proven. Workers seal new lines every night.\n',
    )
  const unsealed = await deps.AuditEvent.countDocuments({ seal: null }).maxTimeMS(4_000)
  return { proven, ...verified, unsealed, faults: faults.map((fault) => ({ fault })) }
}

type ExportOptions = Partial<Pick<AuditFilter, 'from' | 'to' | 'act' | 'who'>> & {
  format: ExportFormat
  business?: string
}

async function exportTrail(deps: AdminDeps, options: ExportOptions) {
  if (deps.asJson)
    throw new CommandFailed('This command prints a file. Use --format jsonl instead of --json.')
  const { exportAuditTrail, recordAuditExport } = await import('../../audit/list.ts')
  const { format, from = null, to = null, act: done = null, who = null, business = null } = options
  const filter = { who, act: done, subject: null, businessId: business, from, to, before: null }
  await recordAuditExport(deps, filter, format, deps.by)
  for await (const piece of exportAuditTrail((query) => query(deps), filter, format))
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
  return {}
}
