import * as fc from 'fast-check'
import { intentStatuses } from '../../../schemas/intents.ts'
import { deadlineMs, inFull, rounds } from '../../support/machine.ts'
import { withService } from '../../support/service.ts'
import * as act from './commands.ts'
import type { CallerName, Model } from './model.ts'
import { openStage, type Stage } from './stage.ts'
import { rivals, to, twins, writes } from './writes.ts'

/** MODEL_RUNS sets the number of sequences. MODEL_SEED repeats a failed run, which printed its seed. */
const { MODEL_RUNS, MODEL_SEED } = process.env
const isLong = MODEL_RUNS !== undefined
const numRuns = Number(MODEL_RUNS ?? rounds(8, 1))
/** Fixed in `npm test`, where the sequences contain every kind of write, alone and in pairs. */
const seed = Number(MODEL_SEED ?? (isLong ? Date.now() : inFull(Date.now(), 18)))
const maxCommands = inFull(40, 25)
const hourMs = 3_600_000
const by = fc.constantFrom<CallerName[]>('till', 'office', 'live', 'stranger')
const key = fc.uuid()
const fewKeys = fc.constantFrom('a', 'b', 'c')
const opening = [
  act.writing({ what: 'create', by: 'till', key: 'first', body: { amount: 50_000 } }),
  act.writing({ what: 'create', by: 'till', key: 'second', body: { amountType: 'OPEN' } }),
  act.writing({ what: 'create', by: 'till', key: 'third', body: { amount: 50_000 } }),
  act.writing({ what: 'simulate', by: 'till', key: 'paid', to: 2, body: {} }),
]

/** Overdue intents must be in the right list before their expiry runs. Then all events are relayed and compared. */
const ending = [
  act.waitingForAnEnd(0, 0),
  ...intentStatuses.map((status) => act.listing({ by: 'till', status, minAmount: null, page: 1, limit: 3 })),
  act.working(),
  act.readingAll(),
]

const looks = fc.oneof(
  fc.tuple(by, to).map(([who, which]) => act.reading(who, which)),
  fc
    .record({
      by,
      status: fc.option(fc.constantFrom(...intentStatuses)),
      minAmount: fc.option(fc.constantFrom(0, 251, 50_000)),
      page: fc.integer({ min: 1, max: 3 }),
      limit: fc.integer({ min: 1, max: 3 }),
    })
    .map(act.listing),
)
const waits = fc.oneof(
  fc.constantFrom(1, 1000, hourMs, 23 * hourMs).map(act.waiting),
  fc
    .tuple(fc.nat({ max: 5 }), fc.constantFrom(0 as const, 1 as const))
    .map(([which, msBefore]) => act.waitingForAnEnd(which, msBefore)),
)
const payments = fc
  .tuple(to, fc.constantFrom('pays', 'pays', 'wrongPin', 'poor', 'broken'))
  .map(([which, wallet]) => act.paying(which, wallet))
const often = <T>(times: number, command: T): T[] => Array.from({ length: times }, () => command)

describe('A random sequence of merchant requests', function () {
  if (isLong) this.timeout(0)
  const service = withService()
  async function begin(): Promise<{ model: Model; real: Stage }> {
    const real = await openStage(service)
    return { model: { now: service.clock.now().getTime(), intents: [], kept: new Map() }, real }
  }
  /** Stops shrinking before mocha's own timeout, which would print nothing. */
  const limits = () =>
    isLong ? {} : { interruptAfterTimeLimit: deadlineMs(30_000), markInterruptAsFailure: true }
  const holds = (commands: Parameters<typeof fc.commands<Model, Stage, boolean>>[0]) =>
    fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands, size: 'max' }), async (sequence) =>
        fc.asyncModelRun(begin, [...opening, ...sequence, ...ending]),
      ),
      { numRuns, seed, ...limits() },
    )

  it('gets the responses and leaves the data that a model of the specification predicts', () =>
    holds([
      ...often(5, writes(key).map(act.writing)),
      ...often(2, rivals(key).map(act.writingAtOnce)),
      ...often(3, looks),
      payments,
      waits,
      fc.constant(act.working()),
    ]))

  it('gets one response per path and idempotency key within 24 hours', () =>
    holds([
      ...often(5, writes(fewKeys).map(act.writing)),
      twins(fewKeys).map(act.writingAtOnce),
      waits,
      looks,
    ]))
})
