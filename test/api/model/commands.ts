import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import type * as fc from 'fast-check'
import { type CallerName, callers, type Search, type WalletName, type Write } from './asked.ts'
import { answerTo, expireAll, list, type Model, payOnPage, read } from './model.ts'
import { type Heard, look, pay, type Stage, search, send, told, work } from './stage.ts'

type Command = fc.AsyncCommand<Model, Stage>

const command = (name: string, said: unknown, run: Command['run']): Command => ({
  check: () => true,
  run: async (model, stage) => {
    stage.service.clock.freeze(new Date(model.now))
    await run(model, stage)
  },
  toString: () => `${name} ${JSON.stringify(said)}`,
})

/** One write, and what is answered. */
export const writing = (write: Write): Command =>
  command('write', write, async (model, stage) => {
    const due = answerTo(model, write)
    const heard = await send(stage, write)
    expect(differences(due, heard, stage.texts.get(due.kept))).to.deep.equal([])
    remember(model, stage, write, due, heard)
  })

/** Two writes at once: the answers, and all that comes later, are as if one of them had come first. */
export const writingAtOnce = (writes: readonly [Write, Write]): Command =>
  command('at once', writes, async (model, stage) => {
    const heard = await Promise.all([send(stage, writes[0]), send(stage, writes[1])])
    const stories = [inOrder(model, stage, writes, heard), inOrder(model, stage, swap(writes), swap(heard))]
    const story = stories.find(({ wrong }) => wrong.length === 0)
    if (story === undefined) return expect.fail(JSON.stringify(stories.map(({ wrong }) => wrong)))
    Object.assign(model, story.after)
    story.remember()
  })

const swap = <T>([one, other]: readonly [T, T]): [T, T] => [other, one]

/** How two answers fit a story in which the first of two writes was first. */
function inOrder(
  model: Model,
  stage: Stage,
  [first, second]: readonly [Write, Write],
  [one, other]: readonly [Heard, Heard],
) {
  const after = structuredClone(model)
  const due = answerTo(after, first)
  const dueThen = answerTo(after, second)
  const kept = (name: string) => stage.texts.get(name)
  const isReplayed = dueThen.kept === due.kept && due.replay === 'no'
  const wrong = [
    ...differences(due, overtaken(due, one), kept(due.kept)),
    ...differences(dueThen, overtaken(dueThen, other), isReplayed ? one.text : kept(dueThen.kept)),
  ]
  const rememberBoth = () => {
    remember(model, stage, first, due, one)
    remember(model, stage, second, dueThen, other)
  }
  return { after, wrong, remember: rememberBoth }
}

/** Whoever is overtaken in the middle of a cancel may be told that (SPEC 4.4). */
const overtaken = (due: Due, heard: Heard): Heard =>
  due.code === 'INTENT_CANCEL_INVALID_STATUS' && heard.code === 'INTENT_CANCEL_CONFLICT'
    ? { ...heard, code: due.code }
    : heard

/** Reads what is there, or is not. */
export const reading = (by: CallerName, to: number): Command =>
  command('read', [by, to], (model, stage) => readOne(model, stage, by, to))

/** Every intent, by a caller who may. */
export const readingAll = (): Command =>
  command('read all', [], async (model, stage) => {
    for (const [to, { business, sandbox }] of model.intents.entries())
      await readOne(model, stage, ownerOf(business, sandbox), to)
  })

async function readOne(model: Model, stage: Stage, by: CallerName, to: number): Promise<void> {
  const { status, code, seen } = await look(stage, by, to)
  expect({ status, code, seen }).to.deep.equal(read(model, by, to))
}

const names = Object.keys(callers) as CallerName[]
const ownerOf = (business: number, sandbox: boolean): CallerName =>
  names.find((name) => isDeepStrictEqual(callers[name], { business, sandbox })) ?? 'till'

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
    const ends = [
      ...model.intents.map(({ expiresAt }) => expiresAt),
      ...[...model.kept.values()].map(({ until }) => until),
    ]
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

type Due = ReturnType<typeof answerTo>

/** What is wrong with an answer; `first` is the text of the one that it should replay. */
function differences(due: Due, heard: Heard, first: string | undefined): string[] {
  const { kept: _, ...wanted } = due
  const { status, code, seen, replay, text } = heard
  const isAsDue = isDeepStrictEqual({ status, code, seen, replay }, wanted)
  return [
    ...(isAsDue ? [] : [`${replay} replay of ${status} ${text} instead of ${JSON.stringify(wanted)}`]),
    ...(due.replay === 'no' || text === first ? [] : [`${text} replays ${first}`]),
  ]
}

/** A create is a millisecond of its own, so that lists have one order. */
function remember(model: Model, stage: Stage, write: Write, due: Due, heard: Heard): void {
  if (due.replay !== 'no') return
  stage.texts.set(due.kept, heard.text)
  if (write.what === 'create' && heard.made !== null) {
    stage.made.push(heard.made)
    model.now += 1
  }
}
