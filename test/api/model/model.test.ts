import { expect } from 'chai'
import * as fc from 'fast-check'
import { statuses } from '../../../schemas/list-intents.ts'
import { withService } from '../../support/service.ts'
import type { CallerName } from './asked.ts'
import {
  listing,
  paying,
  reading,
  readingAll,
  waiting,
  waitingForAnEnd,
  working,
  writing,
  writingAtOnce,
} from './commands.ts'
import type { Model } from './model.ts'
import { openStage, type Stage } from './stage.ts'
import { rivals, to, twins, writes } from './writes.ts'

/** MODEL_RUNS: how many stories are told; MODEL_SEED: those of an earlier run again, whose failure printed it. */
const { MODEL_RUNS, MODEL_SEED } = process.env
const isLong = MODEL_RUNS !== undefined
/** So many take some four seconds for each test on two free cores. */
const numRuns = Number(MODEL_RUNS ?? 12)
/** A failing story is made shorter until then, and told; before Mocha ends it, which would tell nothing. No further one is begun then. */
const limits = isLong ? {} : { interruptAfterTimeLimit: 45_000 }
/** On a machine that is so slow that fewer held in that time, little was looked at. */
const fewestHeld = Math.min(3, numRuns)
const seed = MODEL_SEED === undefined ? {} : { seed: Number(MODEL_SEED) }
const mostCommands = 40
const hourMs = 3_600_000

const by = fc.constantFrom<CallerName[]>('till', 'office', 'live', 'stranger')
const key = fc.uuid()
const fewKeys = fc.constantFrom('a', 'b', 'c')

/** So that there is something to pay, something to choose an amount for, and something to pay back. */
const opening = [
  writing({ what: 'create', by: 'till', key: 'first', body: { amount: 50_000 } }),
  writing({ what: 'create', by: 'till', key: 'second', body: { amountType: 'OPEN' } }),
  writing({ what: 'create', by: 'till', key: 'third', body: { amount: 50_000 } }),
  writing({ what: 'simulate', by: 'till', key: 'paid', to: 2, body: {} }),
]

/** What is overdue by then, and nobody has written down, is in the right list; then all is told, and stands as it was told. */
const ending = [
  waitingForAnEnd(0, 0),
  ...statuses.map((status) => listing({ by: 'till', status, page: 1, limit: 3 })),
  working(),
  readingAll(),
]

const looks = fc.oneof(
  fc.tuple(by, to).map(([who, which]) => reading(who, which)),
  fc
    .record({
      by,
      status: fc.option(fc.constantFrom(...statuses)),
      page: fc.integer({ min: 1, max: 3 }),
      limit: fc.integer({ min: 1, max: 3 }),
    })
    .map(listing),
)
const waits = fc.oneof(
  fc.constantFrom(1, 1000, hourMs, 23 * hourMs).map(waiting),
  fc
    .tuple(fc.nat({ max: 5 }), fc.constantFrom(0 as const, 1 as const))
    .map(([which, msBefore]) => waitingForAnEnd(which, msBefore)),
)
const payments = fc
  .tuple(to, fc.constantFrom('pays', 'pays', 'wrongPin', 'poor', 'broken'))
  .map(([which, wallet]) => paying(which, wallet))
/** `times` as likely as others. */
const often = <T>(times: number, one: T): T[] => Array.from({ length: times }, () => one)

/** Fast-check is content with one story that held before the time was up. */
function judge<Told>(told: fc.RunDetails<Told>): void {
  if (told.failed) throw new Error(fc.defaultReportMessage(told), { cause: told.errorInstance })
  if (told.numRuns < numRuns) console.log(`      ${told.numRuns} of ${numRuns} stories held in time`)
  expect(told.numRuns, 'stories that held in time').to.be.at.least(fewestHeld)
}

describe('A merchant, compared with a model of the specification,', function () {
  this.timeout(isLong ? 0 : 60_000)
  const service = withService()

  async function begin(): Promise<{ model: Model; real: Stage }> {
    const real = await openStage(service)
    return { model: { now: service.clock.now().getTime(), intents: [], kept: new Map() }, real }
  }
  const holds = (commands: Parameters<typeof fc.commands<Model, Stage, boolean>>[0]) =>
    fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: mostCommands, size: 'max' }), async (story) =>
        fc.asyncModelRun(begin, [...opening, ...story, ...ending]),
      ),
      { numRuns, ...limits, ...seed, reporter: judge },
    )

  it('gets the modelled responses, lists and states for every intent', () =>
    holds([
      ...often(5, writes(key).map(writing)),
      ...often(2, rivals(key).map(writingAtOnce)),
      ...often(3, looks),
      payments,
      waits,
      fc.constant(working()),
    ]))

  it('gets one response for each idempotency key of a path, for 24 hours', () =>
    holds([...often(5, writes(fewKeys).map(writing)), twins(fewKeys).map(writingAtOnce), waits, looks]))
})
