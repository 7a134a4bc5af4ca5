import type { Command } from 'commander'
import { act, subcommand, withProgress } from './act.ts'
import { choice, each, fromOption, someId, toOption } from './arguments.ts'
import { addReplayCommands } from './replay.ts'
import type { RequeueCounts, Selection } from './requeue-selected.ts'
import type { AdminDeps } from './run.ts'

const requeueHelp = `
Each selected delivery gets one more attempt now, besides its automatic ones.
The attempt sends the same id and body with a new timestamp and signature. Several
options together narrow the selection. At least one of --id, --endpoint,
--business, --from and --to is required. Without --id and --status, the command
selects DEAD deliveries.

"skipped" counts the deliveries that were not re-queued, by reason:
  delivered      the endpoint has accepted the delivery in the meantime
  under-way      an attempt is already due or in progress
  endpoint-gone  the endpoint is deleted or not active

The command re-queues at most 250 deliveries per second, so that deliveries of other
businesses are not delayed. If it is interrupted, run it again: it continues with
the remaining deliveries. It does not need Redis. Workers start the attempts within
15 seconds.

Examples:
  admin deliveries requeue --endpoint ID --dry-run
  admin deliveries requeue --business ID --from 2026-11-20 --to 2026-11-21T12:00Z
  admin deliveries requeue --id ID ID ID`

/** Adds the commands that re-queue deliveries and replay events. */
export function addDeliveriesCommands(program: Command): void {
  const deliveries = subcommand(program, 'deliveries', 're-queue webhook deliveries and replay events')
  subcommand(deliveries, 'requeue', 'make one more attempt for each selected delivery')
    .option('--id <id...>', 'select these deliveries', each(someId))
    .option('--endpoint <id>', 'select deliveries to this endpoint', someId)
    .option('--business <id>', 'select deliveries of this business', someId)
    .addOption(fromOption('select deliveries that became DEAD'))
    .addOption(toOption('select deliveries that became DEAD'))
    .option('--status <status>', statusDescription, choice('DEAD', 'CANCELLED'))
    .option('--dry-run', 'only count the selected deliveries', false)
    .addHelpText('after', requeueHelp)
    .hook('preAction', (_, command) => checkSelection(command))
    .action(act(requeue))
  addReplayCommands(deliveries)
}

const statusDescription =
  'DEAD or CANCELLED; with CANCELLED, --from and --to are times of creation, and --id, --endpoint or --business is required'

interface Options extends Selection {
  dryRun: boolean
}

async function requeue(deps: AdminDeps, { dryRun, ...selection }: Options): Promise<RequeueCounts> {
  const { countSelected, requeueSelected } = await import('./requeue-selected.ts')
  const total = await countSelected(deps, selection)
  if (dryRun) return { matched: total, requeued: 0, skipped: {} }
  const counts = await withProgress(deps, total, (advance) => requeueSelected(deps, selection, advance))
  if (selection.id !== undefined && counts.requeued === 0) reportNone(counts)
  else await reportGone(counts)
  return counts
}

/** Why a delivery was not re-queued, in the words of the help text. */
const reasons: Record<string, string> = {
  delivered: 'the endpoint has accepted the delivery in the meantime',
  'under-way': 'an attempt is already due or in progress',
  'endpoint-gone': 'the endpoint is deleted or not active',
}

/** Reports on stderr why none of the deliveries selected by id was re-queued, and sets the exit code to 1. */
function reportNone({ skipped }: RequeueCounts): void {
  process.exitCode = 1
  const why = Object.keys(skipped).map((reason) => reasons[reason] ?? reason)
  process.stderr.write(`No delivery was re-queued: ${why.join(', or ') || 'none matches all options'}.\n`)
}

/** Reports on stderr how many deliveries cannot be re-queued because of their endpoint, and sets the exit code to 1. */
async function reportGone({ skipped }: RequeueCounts): Promise<void> {
  const gone = skipped['endpoint-gone'] ?? 0
  if (gone === 0) return
  const { deliveriesCounted } = await import('../pages/words.ts')
  process.exitCode = 1
  const remedy = 'The merchant can enable an endpoint with the API. Then run the command again.'
  process.stderr.write(`${deliveriesCounted(gone)} not re-queued: ${reasons['endpoint-gone']}. ${remedy}\n`)
}

/**
 * Checks the options before the command connects to MongoDB. Exits with an error if the options would select every
 * delivery or could not select any delivery.
 */
function checkSelection(command: Command): void {
  const { id, endpoint, business, from, to, status } = command.opts<Options>()
  const isNarrow = id !== undefined || endpoint !== undefined || business !== undefined
  if (!isNarrow && from === undefined && to === undefined)
    command.error('error: one of --id, --endpoint, --business, --from and --to is required')
  if (!isNarrow && status === 'CANCELLED')
    command.error('error: --status CANCELLED needs --id, --endpoint or --business')
  if (from !== undefined && to !== undefined && from > to) command.error('error: --from must not be later than --to')
}
