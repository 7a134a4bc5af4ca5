import { isDeepStrictEqual } from 'node:util'
import type * as fc from 'fast-check'
import * as spec from './model.ts'
import { type Actual, look, pay, relayedEvents, type Stage, search, send, work } from './stage.ts'

type Command = fc.AsyncCommand<spec.Model, Stage>

const command = (name: string, input: unknown, run: Command['run']): Command => ({
  check: () => true,
  run: async (model, stage) => {
    stage.service.clock.freeze(new Date(model.now))
    await run(model, stage)
  },
  toString: () => `${name} ${JSON.stringify(input)}`,
})

export const writing = (write: spec.Write): Command =>
  command('write', write, async (model, stage) => {
    const due = spec.respondTo(model, write)
    const actual = await send(stage, write)
    expect(differences(due, actual, stage.texts.get(due.kept))).to.deep.equal([])
    remember(model, stage, write, due, actual)
  })

/** Sends two writes at once. All responses must be as if one had come first. */
export const writingAtOnce = (writes: readonly [spec.Write, spec.Write]): Command =>
  command('at once', writes, async (model, stage) => {
    const actual = await Promise.all([send(stage, writes[0]), send(stage, writes[1])])
    const orders = [inOrder(model, stage, writes, actual), inOrder(model, stage, swap(writes), swap(actual))]
    const order = orders.find(({ wrong }) => wrong.length === 0)
    if (order === undefined) return expect.fail(JSON.stringify(orders.map(({ wrong }) => wrong)))
    Object.assign(model, order.after)
    order.remember()
  })

const swap = <T>([one, other]: readonly [T, T]): [T, T] => [other, one]

function inOrder(
  model: spec.Model,
  stage: Stage,
  [first, second]: readonly [spec.Write, spec.Write],
  [one, other]: readonly [Actual, Actual],
) {
  const after = structuredClone(model)
  const due = spec.respondTo(after, first)
  const dueThen = spec.respondTo(after, second)
  const kept = (name: string) => stage.texts.get(name)
  const isReplayed = dueThen.kept === due.kept && due.replay === 'no'
  // A refund's response is spec.read after the refund, so it may already contain the next one.
  const sawBoth = first.what === 'refund' && isDeepStrictEqual(one.seen, dueThen.seen)
  const early = sawBoth ? { ...one, seen: due.seen } : overtaken(due, one)
  const wrong = [
    ...differences(due, early, kept(due.kept)),
    ...differences(dueThen, overtaken(dueThen, other), isReplayed ? one.text : kept(dueThen.kept)),
  ]
  const rememberBoth = () => {
    remember(model, stage, first, due, one)
    remember(model, stage, second, dueThen, other)
  }
  return { after, wrong, remember: rememberBoth }
}

/** A cancel overtaken by another write may get INTENT_CANCEL_CONFLICT (SPEC 4.4). */
const overtaken = (due: spec.Due, actual: Actual): Actual =>
  due.code === 'INTENT_CANCEL_INVALID_STATUS' && actual.code === 'INTENT_CANCEL_CONFLICT'
    ? { ...actual, code: due.code }
    : actual

export const reading = (by: spec.CallerName, to: number): Command =>
  command('read', [by, to], (model, stage) => readOne(model, stage, by, to))

export const readingAll = (): Command =>
  command('read all', [], async (model, stage) => {
    for (const [to, { business, sandbox }] of model.intents.entries())
      await readOne(model, stage, ownerOf(business, sandbox), to)
  })

async function readOne(model: spec.Model, stage: Stage, by: spec.CallerName, to: number): Promise<void> {
  const { status, code, seen } = await look(stage, by, to)
  expect({ status, code, seen }).to.deep.equal(spec.read(model, by, to))
}

const names = Object.keys(spec.callers) as spec.CallerName[]
const ownerOf = (business: number, sandbox: boolean): spec.CallerName =>
  names.find((name) => isDeepStrictEqual(spec.callers[name], { business, sandbox })) ?? 'till'

export const listing = (input: spec.Search): Command =>
  command('list', input, async (model, stage) => {
    expect(await search(stage, input)).to.deep.equal(spec.list(model, input))
  })

export const paying = (to: number, wallet: spec.WalletName): Command =>
  command('pay', [to, wallet], async (model, stage) => {
    const expected = spec.payOnPage(model, to, wallet)
    if (expected !== null) expect(await pay(stage, to, wallet)).to.equal(expected)
  })

export const waiting = (ms: number): Command =>
  command('wait', ms, async (model) => {
    model.now += ms
  })

/** Waits until an intent or an idempotency key expires, or 1 ms less. */
export const waitingForAnEnd = (which: number, msBefore: 0 | 1): Command =>
  command('wait for an end', [which, msBefore], async (model) => {
    const ends = [
      ...model.intents.map(({ expiresAt }) => expiresAt),
      ...[...model.kept.values()].map(({ expiresAt }) => expiresAt),
    ]
    const ahead = [...new Set(ends)].filter((end) => end - msBefore > model.now).toSorted((a, b) => a - b)
    model.now = (ahead[which % ahead.length] ?? model.now + msBefore) - msBefore
  })

export const working = (): Command =>
  command('work', [], async (model, stage) => {
    spec.expireAll(model)
    await work(stage)
    expect(await relayedEvents(stage)).to.deep.equal(model.intents.map(({ events }) => events))
  })

function differences(due: spec.Due, actual: Actual, first: string | undefined): string[] {
  const { kept: _, ...wanted } = due
  const { status, code, seen, replay, text } = actual
  const isAsExpected = isDeepStrictEqual({ status, code, seen, replay }, wanted)
  return [
    ...(isAsExpected ? [] : [`${replay} replay of ${status} ${text} instead of ${JSON.stringify(wanted)}`]),
    ...(due.replay === 'no' || text === first ? [] : [`${text} replays ${first}`]),
  ]
}

function remember(model: spec.Model, stage: Stage, write: spec.Write, due: spec.Due, actual: Actual): void {
  if (due.replay !== 'no') return
  stage.texts.set(due.kept, actual.text)
  if (write.what === 'create' && actual.made !== null) {
    stage.made.push(actual.made)
    model.now += 1
  }
}
