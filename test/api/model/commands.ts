import { expect } from 'chai'
import type * as fc from 'fast-check'
import type { Search, WalletName, Write } from './asked.ts'
import { answerTo, expireAll, list, type Model, payOnPage, read } from './model.ts'
import { type Heard, look, pay, type Stage, search, send, told, work } from './stage.ts'

type Command = fc.AsyncCommand<Model, Stage>

const command = (name: string, said: unknown, run: Command['run']): Command => ({
  check: () => true,
  run: async (model, stage) => {
    stage.house.clock.freeze(new Date(model.now))
    await run(model, stage)
  },
  toString: () => `${name} ${JSON.stringify(said)}`,
})

/** One write, and what is answered. */
export const writing = (write: Write): Command =>
  command('write', write, async (model, stage) => {
    const expected = answerTo(model, write)
    const heard = await send(stage, write)
    expect(differences(stage, expected, heard, 'alone')).to.deep.equal([])
    remember(model, stage, write, expected, heard)
  })

/** Two writes at once: the answers, and all that comes later, are as if one of them had come first. */
export const writingAtOnce = (one: Write, other: Write): Command =>
  command('at once', [one, other], async (model, stage) => {
    const heard = await Promise.all([send(stage, one), send(stage, other)])
    const orders = [[0, 1] as const, [1, 0] as const].map((order) => {
      const after = structuredClone(model)
      const answers = [one, other].map(() => null) as unknown as [Expected, Expected]
      for (const at of order) answers[at] = answerTo(after, at === 0 ? one : other)
      const wrong = order.flatMap((at) => differences(stage, answers[at], heard[at], 'raced'))
      return { order, after, answers, wrong }
    })
    const right = orders.find(({ wrong }) => wrong.length === 0)
    if (right === undefined) return expect.fail(JSON.stringify(orders.map(({ wrong }) => wrong)))
    Object.assign(model, right.after)
    for (const at of right.order) remember(model, stage, at === 0 ? one : other, right.answers[at], heard[at])
  })

/** Reads what is there, or is not. */
export const reading = (by: Search['by'], to: number): Command =>
  command('read', [by, to], async (model, stage) => {
    const { status, code, seen } = await look(stage, by, to)
    expect({ status, code, seen }).to.deep.equal(read(model, by, to))
  })

export const listing = (asked: Search): Command =>
  command('list', asked, async (model, stage) => {
    expect(await search(stage, asked)).to.deep.equal(list(model, asked))
  })

/** A customer who opens the page of what can be paid; of anything else it has no form (test/checkout). */
export const paying = (to: number, wallet: WalletName): Command =>
  command('pay', [to, wallet], async (model, stage) => {
    const expected = payOnPage(model, to, wallet)
    if (expected !== null) expect(await pay(stage, to, wallet)).to.equal(expected)
  })

export const waiting = (ms: number): Command =>
  command('wait', ms, async (model) => {
    model.now += ms
  })

/** Until something ends: the time of an intent, or what is kept of a key; to the millisecond, or just before. */
export const waitingForAnEnd = (which: number, msBefore: 0 | 1): Command =>
  command('wait for an end', [which, msBefore], async (model) => {
    const ends = [...model.intents.map(({ expiresAt }) => expiresAt), ...[...model.kept.values()].map(({ until }) => until)]
    const ahead = [...new Set(ends)].filter((end) => end - msBefore > model.now).toSorted((a, b) => a - b)
    model.now = (ahead[which % ahead.length] ?? model.now + msBefore) - msBefore
  })

/** Workers come by; then every event is told that was due, and no other. */
export const working = (): Command =>
  command('work', [], async (model, stage) => {
    expireAll(model)
    await work(stage)
    expect(await told(stage)).to.deep.equal(model.intents.map(({ told: due }) => due))
  })

type Expected = ReturnType<typeof answerTo>

/** What is wrong with an answer. Who was overtaken by another may be told so. */
function differences(stage: Stage, expected: Expected, heard: Heard, how: 'alone' | 'raced'): string[] {
  const { kept, ...answer } = expected
  const { text, made: _, ...got } = heard
  const overtaken = how === 'raced' && expected.code === 'INTENT_CANCEL_INVALID_STATUS' && got.code === 'INTENT_CANCEL_CONFLICT'
  const [wanted, given] = [answer, overtaken ? { ...got, code: answer.code } : got].map((one) => JSON.stringify(one, Object.keys({ ...one, ...one.seen, code: 0, retryable: 0 }).toSorted()))
  const first = stage.texts.get(kept)
  return [
    ...(wanted === given ? [] : [`${given} instead of ${wanted}`]),
    ...(expected.replay === 'no' || first === undefined || first === text ? [] : [`replayed ${text} of ${first}`]),
  ]
}

/** A create is a millisecond of its own, so that lists have one order. */
function remember(model: Model, stage: Stage, write: Write, expected: Expected, heard: Heard): void {
  if (expected.replay !== 'no') return
  stage.texts.set(expected.kept, heard.text)
  if (write.what === 'create' && heard.made !== null) {
    stage.made.push(heard.made)
    model.now += 1
  }
}
