import type { Command } from 'commander'
import { act } from './act.ts'
import { choice, each, instant, someId } from './arguments.ts'
import { operator } from './operator.ts'
import { startProgress } from './progress.ts'
import { type Choice, countChosen, requeueChosen, type Tally } from './requeue-chosen.ts'
import type { AdminDeps } from './run.ts'

const requeueHelp = `
Each delivery chosen gets one more attempt, now, on top of its eight: the same
id and bytes, a new timestamp and signature. The options narrow one another,
and at least one of --id, --endpoint, --business, --from and --to is needed.
Without --id and --status the DEAD ones are chosen.

What is not re-queued stands under "skipped", by reason:
  delivered      the receiver has accepted it meanwhile
  under-way      an attempt is due or running already
  endpoint-gone  the endpoint is deleted or switched off

It re-queues 250 a second at most, so that other merchants' deliveries keep
their pace. Killed half-way, run it again: what is done is not done twice. Redis
is not needed; workers begin with the deliveries within 15 seconds.

Examples:
  admin deliveries requeue --endpoint ID --dry-run
  admin deliveries requeue --business ID --from 2026-11-20 --to 2026-11-21T12:00Z
  admin deliveries requeue --id ID ID ID`

/** `deliveries requeue`. */
export function addDeliveriesCommands(program: Command): void {
  const deliveries = program.command('deliveries').description('webhook deliveries')
  deliveries
    .command('requeue')
    .description('give DEAD deliveries one more attempt')
    .option('--id <id...>', 'these deliveries', each(someId))
    .option('--endpoint <id>', 'those to one endpoint', someId)
    .option('--business <id>', 'those of one business', someId)
    .option(
      '--from <time>',
      'those that died at this time or later (ISO 8601, UTC without an offset)',
      instant('start'),
    )
    .option(
      '--to <time>',
      'those that died at this time or earlier; a bare date is the end of that day',
      instant('end'),
    )
    .option(
      '--status <status>',
      'DEAD or CANCELLED; CANCELLED selects by time of creation, and needs --id, --endpoint or --business',
      choice('DEAD', 'CANCELLED'),
    )
    .option('--dry-run', 'only count the deliveries', false)
    .addHelpText('after', requeueHelp)
    .hook('preAction', (_, command) => refuseUnclear(command))
    .action(act(requeue))
}

interface Asked extends Choice {
  dryRun: boolean
}

async function requeue(deps: AdminDeps, { dryRun, ...chosen }: Asked, command: Command): Promise<Tally> {
  const total = await countChosen(deps, chosen)
  if (dryRun) return { matched: total, requeued: 0, skipped: {} }
  const { json } = command.optsWithGlobals<{ json?: boolean }>()
  const progress = startProgress(total, json === true)
  try {
    return await requeueChosen(deps, chosen, operator(), progress.add)
  } finally {
    progress.end()
  }
}

/** Before anything is opened: a choice of everything is a mistake, and so is one that can choose nothing. */
function refuseUnclear(command: Command): void {
  const { id, endpoint, business, from, to, status } = command.opts<Asked>()
  const isNarrow = id !== undefined || endpoint !== undefined || business !== undefined
  if (!isNarrow && from === undefined && to === undefined)
    command.error('error: say which: --id, --endpoint, --business, --from or --to')
  if (!isNarrow && status === 'CANCELLED')
    command.error('error: --status CANCELLED needs --id, --endpoint or --business')
  if (from !== undefined && to !== undefined && from > to)
    command.error('error: --from must not be later than --to')
}
