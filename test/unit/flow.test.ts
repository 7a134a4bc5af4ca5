import { expect } from 'chai'
import { groupBy } from '../../src/group-by.ts'
import { createFlow, type Place } from '../../src/webhooks/attempts/flow.ts'
import { type EndpointHealth, untried } from '../../src/webhooks/endpoints/endpoint.ts'
import type { Attempt } from '../../src/webhooks/sender/send.ts'
import { createGate } from '../support/gate.ts'

const answered = { status: 200, answer: null, retryAfterSeconds: null }
const delivered = (durationMs: number) =>
  ({ outcome: 'delivered', durationMs, ...answered }) as unknown as Attempt
const failed = (durationMs: number) => ({ outcome: 'refused', durationMs, ...answered }) as unknown as Attempt

/** A flow whose clock stands still until `pass`, and what is asked of it. */
function openFlow() {
  let now = 0
  const alarms: { at: number; act: () => void }[] = []
  const flow = createFlow({
    elapsedMs: () => now,
    after: (ms, act) => void alarms.push({ at: now + ms, act }),
  })
  const told: (Place | { againInMs: number } | 'slow' | undefined)[] = []
  return {
    flow,
    /** Enters so many, one after the other; what each was told stands in `told` at its place, once it is known. */
    async enter(health: Partial<EndpointHealth>, count: number, from: Partial<Asked> = {}) {
      for (let each = 0; each < count; each += 1) {
        const place = told.push(undefined) - 1
        const { id = 'one', lane = 'webhook-delivery', hasWaited = false } = from
        const receiver = { _id: id, health: { ...untried, ...health } }
        void flow.enter(receiver, { lane, hasWaited }).then((answer) => (told[place] = answer))
      }
      await settled()
      return told
    },
    async pass(ms: number) {
      now += ms
      for (const due of alarms.filter(({ at }) => at <= now)) {
        alarms.splice(alarms.indexOf(due), 1)
        due.act()
      }
      await settled()
    },
  }
}

interface Asked {
  id: string
  lane: 'webhook-delivery' | 'webhook-delivery-slow'
  hasWaited: boolean
}

const settled = () => new Promise(setImmediate)
const isPlace = (answer: unknown): answer is Place =>
  typeof answer === 'object' && answer !== null && 'leave' in answer
const places = (told: unknown[]): Place[] => told.filter(isPlace)
const waits = (told: unknown[]): number[] =>
  told.flatMap((answer) => (answer as { againInMs?: number } | undefined)?.againInMs ?? [])
const inSlowLane = { lane: 'webhook-delivery-slow' } as const

describe('The flow to a receiver', () => {
  for (const [what, health, count] of [
    ['5 that nobody knows', {}, 5],
    ['50 that did well the last time', { lastSuccessAt: new Date() }, 50],
    ['5 whose last attempt failed', { lastSuccessAt: new Date(), failuresInRow: 1 }, 5],
  ] as const)
    it(`begins with ${what}`, async () => {
      expect(places(await openFlow().enter(health, 60))).to.have.length(count)
    })

  it('keeps the order: who came first goes first, and of too many the last ones go round', async () => {
    const { enter } = openFlow()
    const told = await enter({}, 110)
    expect(told.map(isPlace)).to.deep.equal(told.map((_, index) => index < 5))
    expect(told.map((answer) => answer === undefined)).to.deep.equal(
      told.map((_, index) => index >= 5 && index < 100),
    )
    expect(waits(told)).to.deep.equal(Array.from({ length: 10 }, () => 100))
    places(told)[0]?.leave()
    places(told)[0]?.leave()
    await enter({}, 1)
    expect(told.map(isPlace)).to.deep.equal(told.map((_, index) => index < 6))
    expect(told[5]).to.include({ waited: true })
  })

  it('lets nobody wait for longer than a second, though nobody comes and nothing ends', async () => {
    const { enter, pass } = openFlow()
    const told = await enter({}, 6)
    await pass(600)
    await enter({}, 1)
    await pass(400)
    expect(told[5]).to.deep.equal({ againInMs: 100 })
    expect(told[6]).to.equal(undefined)
    await pass(600)
    expect(told[6]).to.deep.equal({ againInMs: 100 })
  })

  it('lets 100 wait in all, whatever receivers they are for', async () => {
    const { enter } = openFlow()
    await enter({}, 90)
    const told = await enter({}, 90, { id: 'other' })
    expect(told.filter((answer) => answer === undefined)).to.have.length(100)
    expect(places(told)).to.have.length(10)
  })

  it('grows by every quick success to 100, shrinks by every failure, and not with time', async () => {
    const { enter, pass, flow } = openFlow()
    const run = async (attempt: Attempt, count: number) => {
      for (let each = 0; each < count; each += 1) {
        const place = await flow.enter({ _id: 'one', health: untried }, { ...inSlowLane, hasWaited: false })
        if (isPlace(place)) await place.attempt(async () => attempt)
      }
    }
    await run(delivered(5), 200)
    await run(failed(5), 30)
    await pass(9_000)
    const told = await enter({}, 70)
    expect(places(told)).to.have.length(70)
    await enter({}, 1)
    expect(places(told)).to.have.length(70)
    for (const place of places(told)) place.leave()
    await settled()
    for (const place of places(told)) place.leave()
    await run(failed(5), 69)
    expect(places(await enter({}, 10))).to.have.length(71 + 5)
  })

  it('gives a place back as soon as the receiver has answered', async () => {
    const { enter } = openFlow()
    const told = await enter({}, 6)
    await places(told)[0]?.attempt(async () => delivered(5))
    await settled()
    expect(isPlace(told[5])).to.equal(true)
  })

  it('is held to 5, in the lane of the slow, from when an attempt is open for a second until 5 quick ones ended', async () => {
    const { enter, pass } = openFlow()
    const told = await enter({}, 5)
    const hanging = createGate()
    void places(told)[0]?.attempt(() => hanging.passed.then(() => delivered(1_001)))
    await pass(500)
    await enter({}, 1)
    await pass(501)
    expect(told[5]).to.equal('slow')
    expect((await enter({}, 1))[6]).to.equal('slow')
    for (const place of places(told).slice(1)) place.leave()
    await enter({}, 10, inSlowLane)
    expect(places(told.slice(7))).to.have.length(4)
    hanging.open()
    await settled()
    for (const place of places(told.slice(7))) await place.attempt(async () => delivered(5))
    expect((await enter({}, 1)).at(-1)).to.equal('slow')
    for (const place of places(await enter({}, 1, { ...inSlowLane, hasWaited: true })).slice(-1))
      await place.attempt(async () => delivered(5))
    expect(isPlace((await enter({}, 1)).at(-1))).to.equal(true)
  })

  it('holds back who failed 100 times in a row until one success; who was put off goes before who comes anew', async () => {
    const { enter } = openFlow()
    const failing = { failuresInRow: 100 }
    expect(await enter(failing, 1)).to.deep.equal(['slow'])
    const told = await enter(failing, 6, inSlowLane)
    expect(places(told)).to.have.length(5)
    for (const place of places(told).slice(0, 4)) place.leave()
    await enter(failing, 5, inSlowLane)
    expect(places(told)).to.have.length(6)
    await enter(failing, 5, { ...inSlowLane, hasWaited: true })
    expect(places(told)).to.have.length(9)
    await places(told)[4]?.attempt(async () => delivered(5))
    expect(isPlace((await enter(failing, 1)).at(-1))).to.equal(true)
  })

  for (const [count, withinMs] of [
    [1_000, 30_000],
    [100_000, 15 * 60_000],
  ] as const)
    it(`puts ${count} off for no longer than ${withinMs} ms, and not all to one moment`, async () => {
      const { flow, pass } = openFlow()
      const receiver = { _id: 'one', health: { ...untried, slow: true } }
      const asker = { ...inSlowLane, hasWaited: true }
      for (let each = 0; each < 5; each += 1) {
        const place = await flow.enter(receiver, asker)
        if (isPlace(place)) void place.attempt(() => new Promise(() => undefined))
      }
      await pass(30_000)
      const told = await Promise.all(Array.from({ length: count }, () => flow.enter(receiver, asker)))
      const all = waits(told)
      expect(all).to.have.length(count)
      expect(Math.min(...all.slice(0, 100))).to.be.at.least(1_000)
      expect(all.every((ms) => ms <= withinMs)).to.equal(true)
      const busiest = groupBy(all, (ms) => Math.floor(ms / 1000))
      expect(Math.max(...[...busiest.values()].map((some) => some.length))).to.be.at.most(250)
    })
})
