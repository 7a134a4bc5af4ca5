import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { EventName } from '../../../schemas/events.ts'
import type { PresentedReplay, Replay } from '../../replays/replay.ts'
import { replayShown } from '../../staff-acts/shown.ts'
import { commandAction, orFail, subcommand, withProgress } from './act.ts'
import { choice, collectEach, fromOption, someEvents, someId, toOption } from './arguments.ts'
import type { DeliverySelection, RequeueCounts } from './requeue-selected.ts'
import type { AdminDeps } from './run.ts'
import { type Column, columnOf, tableText } from './text.ts'

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

export function addDeliveriesCommands(program: Command): void {
  const deliveries = subcommand(program, 'deliveries', 're-queue webhook deliveries and replay events')
  subcommand(deliveries, 'requeue', 'make one more attempt for each selected delivery')
    .option('--id <id...>', 'select these deliveries', collectEach(someId))
    .option('--endpoint <id>', 'select deliveries to this endpoint', someId)
    .option('--business <id>', 'select deliveries of this business', someId)
    .addOption(fromOption('select deliveries that became DEAD'))
    .addOption(toOption('select deliveries that became DEAD'))
    .option('--status <status>', statusDescription, choice('DEAD', 'CANCELLED'))
    .option('--dry-run', 'only count the selected deliveries', false)
    .addHelpText('after', requeueHelp)
    .hook('preAction', (_, command) => checkSelection(command))
    .action(commandAction(requeue))
  addReplayCommands(deliveries)
}

const statusDescription =
  'DEAD or CANCELLED; with CANCELLED, --from and --to are times of creation, and --id, --endpoint or --business is required'

async function requeue(
  deps: AdminDeps,
  { dryRun, ...selection }: DeliverySelection & { dryRun: boolean },
): Promise<RequeueCounts> {
  const { countSelected, requeueSelected } = await import('./requeue-selected.ts')
  const total = await countSelected(deps, selection)
  if (dryRun) return { matched: total, requeued: 0, skipped: {} }
  const counts = await withProgress(deps, total, (advance) => requeueSelected(deps, selection, advance))
  if (selection.id !== undefined && counts.requeued === 0) reportNone(counts)
  else await reportGone(counts)
  return counts
}

/** Skipped deliveries, in the words of the help text. */
const reasons: Record<string, string> = {
  delivered: 'the endpoint has accepted the delivery in the meantime',
  'under-way': 'an attempt is already due or in progress',
  'endpoint-gone': 'the endpoint is deleted or not active',
}

/** For deliveries selected by id: says why on stderr, and sets the exit code to 1. */
function reportNone({ skipped }: RequeueCounts): void {
  process.exitCode = 1
  const why = Object.keys(skipped).map((reason) => reasons[reason] ?? reason)
  process.stderr.write(`No delivery was re-queued: ${why.join(', or ') || 'none matches all options'}.\n`)
}

/** Says on stderr how many deliveries can't be re-queued because of their endpoint, and sets the exit code to 1. */
async function reportGone({ skipped }: RequeueCounts): Promise<void> {
  const gone = skipped['endpoint-gone'] ?? 0
  if (gone === 0) return
  const { deliveriesCounted } = await import('../../staff-pages/format.ts')
  process.exitCode = 1
  const remedy = 'The merchant can enable an endpoint with the API. Then run the command again.'
  process.stderr.write(`${deliveriesCounted(gone)} not re-queued: ${reasons['endpoint-gone']}. ${remedy}\n`)
}

/** Before connecting to MongoDB, rejects options that would select every delivery, or could never select any. */
function checkSelection(command: Command): void {
  const { id, endpoint, business, from, to, status } = command.opts<DeliverySelection>()
  const isNarrow = id !== undefined || endpoint !== undefined || business !== undefined
  if (!isNarrow && from === undefined && to === undefined)
    command.error('error: one of --id, --endpoint, --business, --from and --to is required')
  if (!isNarrow && status === 'CANCELLED')
    command.error('error: --status CANCELLED needs --id, --endpoint or --business')
  if (from !== undefined && to !== undefined && from > to)
    command.error('error: --from must not be later than --to')
}

const replayHelp = `
Workers replay the events of the endpoint's environment, oldest first, at most 200
per second, alongside new events. An existing delivery gets one more attempt with
the same id and body. If it fails, a delivery that was dead is dead again, and any
other one continues its automatic attempts. A missing delivery is created and gets
its usual automatic attempts. Events that happen after the start of the replay are
not part of it.

With --follow, the command waits until the replay has ended. If you interrupt the
command, the replay continues.

Examples:
  admin deliveries replay --endpoint ID --from 2026-11-20 --dry-run
  admin deliveries replay --endpoint ID --from 2026-11-20T06:00Z --to 2026-11-20T07:00Z --only-undelivered --follow`

function addReplayCommands(deliveries: Command): void {
  subcommand(deliveries, 'replay', 'replay the events of a period to an endpoint')
    .requiredOption('--endpoint <id>', 'the endpoint', someId)
    .addOption(fromOption('select events that happened').makeOptionMandatory())
    .addOption(toOption('select events that happened', ' (default: now)'))
    .option('--events <list>', 'select only these events (default: all of the endpoint)', someEvents)
    .option('--only-undelivered', 'leave out deliveries that the endpoint has accepted', false)
    .option('--dry-run', 'only count the events', false)
    .option('--follow', 'wait for the end and show the progress', false)
    .addHelpText('after', replayHelp)
    .action(commandAction(replay))
  subcommand(deliveries, 'replays', 'show the latest 10 replays of an endpoint')
    .requiredOption('--endpoint <id>', 'the endpoint', someId)
    .action(
      commandAction(listReplays, (replays) =>
        replays.length === 0 ? 'None.' : tableText(replayColumns, replays),
      ),
    )
  subcommand(deliveries, 'cancel-replay', 'stop a running replay')
    .argument('<id>', 'the id of the replay', someId)
    .action(commandAction(cancelOne))
}

async function listReplays(deps: AdminDeps, { endpoint }: { endpoint: string }): Promise<PresentedReplay[]> {
  const { lookUpEndpoint } = await import('../../webhooks/deliveries/look-up.ts')
  const { latestReplays } = await import('../../replays/find.ts')
  const { presentReplay } = await import('../../replays/replay.ts')
  orFail(await lookUpEndpoint(deps, endpoint), `There is no endpoint ${endpoint}`)
  return (await latestReplays(deps, endpoint)).map(presentReplay)
}

const replayColumns: Column<PresentedReplay>[] = [
  { title: 'ID', cell: ({ id }) => id },
  ...Object.values(replayShown).map(columnOf),
]

interface ReplayOptions {
  endpoint: string
  from: Date
  to?: Date
  events?: EventName[]
  onlyUndelivered: boolean
  dryRun: boolean
  follow: boolean
}

async function replay(deps: AdminDeps, options: ReplayOptions): Promise<object> {
  const { lookUpEndpoint } = await import('../../webhooks/deliveries/look-up.ts')
  const { presentReplay } = await import('../../replays/replay.ts')
  const { planReplay, startReplay } = await import('../../replays/start.ts')
  const { countUndelivered } = await import('../../replays/selected-events.ts')
  const { endpoint: id, from, to = null, events = null, onlyUndelivered, dryRun, follow } = options
  const endpoint = orFail(await lookUpEndpoint(deps, id), `There is no endpoint ${id}`)
  const planned = await planReplay(deps, endpoint, { from, to, events, onlyUndelivered })
  if (dryRun) {
    const { total, endpointId, from: first, to: last, events: names, sandbox } = planned
    const undelivered = await countUndelivered(planned, deps)
    return { total, undelivered, endpointId, from: first, to: last, events: names, onlyUndelivered, sandbox }
  }
  const started = await startReplay(deps, planned, deps.by)
  if (!follow) return presentReplay(started)
  const ended = await waitForEnd(deps, started)
  if (ended.status !== 'DONE') process.exitCode = 1
  return presentReplay(ended)
}

const lookEveryMs = 500

/** Shows the progress of a replay and returns the replay once it has ended. */
const waitForEnd = (deps: AdminDeps, { _id, total }: Replay): Promise<Replay> =>
  withProgress(deps, total, async (advance) => {
    for (let shown = 0; ; ) {
      const current = await deps.Replay.findById(_id).orFail().lean<Replay>()
      const processed = current.requeued + current.created + current.skipped
      advance(processed - shown)
      shown = processed
      if (current.status !== 'RUNNING') return current
      await pause(lookEveryMs)
    }
  })

async function cancelOne(deps: AdminDeps, id: string): Promise<object> {
  const { cancelReplay } = await import('../../replays/cancel.ts')
  const { presentReplay } = await import('../../replays/replay.ts')
  const read = () => deps.Replay.findById(id).lean<Replay | null>()
  await cancelReplay(deps, orFail(await read(), `There is no replay ${id}`), deps.by)
  return presentReplay(orFail(await read(), `There is no replay ${id}`))
}
