import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { OutcomeCounts } from '../../webhooks/deliveries/requeue.ts'
import {
  addSubcommand,
  CommandFailed,
  commandAction,
  examplesHelp,
  expectBusiness,
  orFail,
  withProgressBar,
} from './act.ts'
import { choiceParser, fromTimeOption, idArgument, idListArgument, toTimeOption } from './arguments.ts'
import { addReplayCommands } from './replays.ts'
import type { AdminDeps } from './run.ts'

const reasons: Record<keyof OutcomeCounts['skipped'], string> = {
  delivered: 'the endpoint has accepted the delivery in the meantime',
  under_way: 'an attempt is already due or in progress',
  endpoint_gone: 'the endpoint is deleted or not active',
  not_found: 'the delivery is no longer stored',
}

const requeueHelp = `
Each selected delivery gets one more attempt now, besides its automatic ones.
The attempt sends the same id and body with a new timestamp and signature. Several
options together narrow the selection. At least one of --id, --endpoint,
--business, --from and --to is required. Without --id and --status, the command
selects DEAD deliveries.

"skipped" counts the deliveries that were not re-queued, by reason:
${Object.entries(reasons)
  .map(([name, meaning]) => `  ${name.padEnd(15)}${meaning}`)
  .join('\n')}

The command re-queues at most 250 deliveries per second, so that deliveries of other
businesses are not delayed. If it is interrupted, run it again: it continues with
the remaining deliveries. It does not need Redis. Workers start the attempts within
15 seconds.
${examplesHelp(
  'deliveries requeue --endpoint ID --dry-run',
  'deliveries requeue --business ID --from 2026-11-20 --to 2026-11-21T12:00Z',
  'deliveries requeue --id ID ID ID',
)}`

const statusDescription =
  'DEAD or CANCELLED; with CANCELLED, --from and --to are times of creation, and --id, --endpoint or --business is required'

export function addDeliveriesCommands(program: Command): void {
  const deliveries = addSubcommand(program, 'deliveries', 're-queue webhook deliveries and replay events')
  addSubcommand(deliveries, 'requeue', 'make one more attempt for each selected delivery', requeueHelp)
    .option('--id <id...>', 'select these deliveries', idListArgument)
    .option('--endpoint <id>', 'select deliveries to this endpoint', idArgument)
    .option('--business <id>', 'select deliveries of this business', idArgument)
    .addOption(fromTimeOption('select deliveries that became DEAD'))
    .addOption(toTimeOption('select deliveries that became DEAD'))
    .option('--status <status>', statusDescription, choiceParser('DEAD', 'CANCELLED'))
    .option('--dry-run', 'only count the selected deliveries', false)
    .hook('preAction', (_, command) => checkSelection(command))
    .action(commandAction(requeue))
  addReplayCommands(deliveries)
}

interface DeliverySelection {
  id?: string[]
  endpoint?: string
  business?: string
  from?: Date
  to?: Date
  status?: 'DEAD' | 'CANCELLED'
}

/** Runs before the command connects to MongoDB. */
function checkSelection(command: Command) {
  const { id, endpoint, business, from, to, status } = command.opts<DeliverySelection>()
  const isNarrow = id !== undefined || endpoint !== undefined || business !== undefined
  if (!isNarrow && from === undefined && to === undefined)
    command.error('error: one of --id, --endpoint, --business, --from and --to is required')
  if (!isNarrow && status === 'CANCELLED')
    command.error('error: --status CANCELLED needs --id, --endpoint or --business')
  if (from !== undefined && to !== undefined && from > to)
    command.error('error: --from must not be later than --to')
}

type Counts = { matched: number } & OutcomeCounts

type RequeueOptions = DeliverySelection & { dryRun: boolean }

async function requeue(deps: AdminDeps, { dryRun, ...selection }: RequeueOptions): Promise<Counts> {
  await expectExisting(deps, selection)
  const filter = await filterOf(deps, selection)
  const total = await deps.Delivery.countDocuments(filter)
  if (dryRun) return { matched: total, requeued: 0, skipped: {} }
  const counts = await withProgressBar(deps, total, (advance) => requeueMatching(deps, filter, advance))
  if (selection.id !== undefined && counts.requeued === 0) reportNone(counts)
  else await reportGone(counts)
  return counts
}

async function expectExisting(deps: AdminDeps, { id, endpoint, business }: DeliverySelection) {
  if (business !== undefined) await expectBusiness(deps, business)
  if (endpoint !== undefined)
    orFail(await deps.Endpoint.exists({ _id: endpoint }), `There is no endpoint ${endpoint}`)
  if (id === undefined) return
  const existing = await deps.Delivery.find({ _id: { $in: id } }, { _id: 1 }).lean<{ _id: string }[]>()
  const known = new Set(existing.map(({ _id }) => _id))
  const missing = id.filter((each) => !known.has(each))
  if (missing.length > 0) throw new CommandFailed(`There is no delivery ${missing.slice(0, 5).join(', ')}.`)
}

async function filterOf(deps: AdminDeps, selection: DeliverySelection) {
  const { spanFilter, endSpanNow } = await import('../../input/span.ts')
  const { omitUndefined } = await import('../../platform/without-undefined.ts')
  const { deadFilter } = await import('../../webhooks/deliveries/backlog.ts')
  const { id, endpoint, business, from = null, to = null, status } = selection
  const named = omitUndefined({ _id: id && { $in: id }, endpointId: endpoint, businessId: business })
  const span = endSpanNow(deps, { from, to })
  // Naming both environments lets MongoDB use the business's index.
  if (status === 'CANCELLED')
    return { ...named, sandbox: { $in: [true, false] }, status, ...spanFilter('createdAt', span) }
  const isNamedOnly = id !== undefined && status === undefined && from === null && to === null
  return isNamedOnly ? named : { ...named, ...deadFilter(span) }
}

/** More than 250 deliveries per second would delay other businesses. */
const batchEveryMs = 2000

async function requeueMatching(
  deps: AdminDeps,
  filter: Record<string, unknown>,
  advance: (count: number) => void,
): Promise<Counts> {
  const { countOutcomes, requeueByFilter, requeueBatchSize } = await import(
    '../../webhooks/deliveries/requeue.ts'
  )
  const { createPacer } = await import('../../work/pace.ts')
  // Workers poll for due deliveries, so they need no wake-up jobs.
  const batches = requeueByFilter({ ...deps, enqueue: () => undefined }, filter, deps.by)
  const pace = createPacer()
  for (let counts: Counts = { matched: 0, requeued: 0, skipped: {} }; ; ) {
    const startedAt = performance.now()
    const { done, value: outcomes } = await pace(() => batches.next())
    if (done) return counts
    counts = { ...countOutcomes(outcomes, counts), matched: counts.matched + outcomes.size }
    advance(outcomes.size)
    const restMs = batchEveryMs - (performance.now() - startedAt)
    if (outcomes.size === requeueBatchSize && restMs > 0) await pause(restMs)
  }
}

function reportNone({ skipped }: Counts) {
  process.exitCode = 1
  const why = (Object.keys(skipped) as (keyof typeof skipped)[]).map((reason) => reasons[reason])
  process.stderr.write(`No delivery was re-queued: ${why.join(', or ') || 'none matches all options'}.\n`)
}

async function reportGone({ skipped }: Counts) {
  const { endpoint_gone: gone = 0 } = skipped
  if (gone === 0) return
  const { formatDeliveryCount } = await import('../../staff-pages/format.ts')
  process.exitCode = 1
  const remedy = 'The merchant can enable an endpoint with the API. Then run the command again.'
  process.stderr.write(`${formatDeliveryCount(gone)} not re-queued: ${reasons.endpoint_gone}. ${remedy}\n`)
}
