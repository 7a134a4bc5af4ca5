import {
  type AttemptSlot,
  type AttemptSlots,
  createAttemptSlots,
  fastAttemptMs,
  type SlotOwner,
} from '../../src/webhooks/attempts/slots.ts'
import { newEndpointHealth } from '../../src/webhooks/endpoints/endpoint.ts'
import { createTime } from '../support/time.ts'

const quick = { ...newEndpointHealth, lastSuccessAt: new Date(0), lastDurationMs: fastAttemptMs }
const ownerOf = (businessId: string, name: string, origin = `${name}.example`, health = {}): SlotOwner => ({
  businessId,
  endpointId: `${businessId}/${name}`,
  origin,
  health: { ...quick, ...health },
})
const failing = ownerOf('a', 'bad', undefined, { failuresInRow: 3 })

function takeAll(slots: AttemptSlots, ...owners: SlotOwner[]): AttemptSlot[] {
  const taken: AttemptSlot[] = []
  for (const owner of owners)
    for (let slot = slots.takeNow(owner); slot !== null; slot = slots.takeNow(owner)) taken.push(slot)
  return taken
}

const freeAll = (taken: AttemptSlot[], delivered: boolean | null) => {
  for (const slot of taken) slot.free(delivered)
}
const endpoints = (businessId: string, count: number) =>
  Array.from({ length: count }, (_, index) => ownerOf(businessId, `e${index}`))

describe('The delivery slot limiter', () => {
  let time: ReturnType<typeof createTime>
  let slots: AttemptSlots
  beforeEach(() => {
    time = createTime()
    slots = createAttemptSlots(time)
    slots.open()
  })

  describe('for an endpoint', () => {
    it('grants 20 slots at first, 50 after a success within 5 s, and 2 after a failure or a slower success', () => {
      const slow = ownerOf('a', 'late', undefined, { lastDurationMs: fastAttemptMs + 1 })
      const owners = [ownerOf('a', 'new', undefined, newEndpointHealth), ownerOf('a', 'good'), failing, slow]
      expect(owners.map((owner) => takeAll(slots, owner).length)).to.deep.equal([20, 50, 2, 2])
    })

    it("adds one slot per success, up to a tenth of the process's slots", () => {
      for (const most of [2, 4, 8, 16, 32, 64, 100, 100]) {
        expect(slots.available(failing)).to.equal(most)
        const taken = takeAll(slots, failing)
        expect(taken).to.have.length(most)
        freeAll(taken, true)
      }
    })

    it('removes one slot per failure but always leaves 2', () => {
      const owner = ownerOf('a', 'shop')
      const taken = takeAll(slots, owner)
      expect(taken).to.have.length(50)
      freeAll(taken.splice(0, 10), false)
      expect(slots.available(owner)).to.equal(0)
      freeAll(taken, false)
      expect(slots.available(owner)).to.equal(2)
    })

    it('keeps the number of slots if no attempt is made or an attempt succeeds slowly', async () => {
      const owner = ownerOf('a', 'shop')
      freeAll(takeAll(slots, owner), null)
      expect(slots.available(owner)).to.equal(50)
      const late = takeAll(slots, owner)
      freeAll(late.splice(40), null)
      await time.advance(fastAttemptMs)
      freeAll(late, true)
      expect(slots.available(owner)).to.equal(50)
    })

    it('removes one slot for an attempt that is slow and then fails', async () => {
      const taken = takeAll(slots, ownerOf('a', 'shop'))
      freeAll(taken.splice(10), null)
      await time.advance(fastAttemptMs)
      freeAll(taken, false)
      expect(slots.available(ownerOf('a', 'shop'))).to.equal(40)
    })

    it("starts over from the endpoint's stored health once the process has forgotten the endpoint", async () => {
      freeAll(takeAll(slots, failing), true)
      expect(slots.available(failing)).to.equal(4)
      await time.advance(61_000)
      expect(slots.available(ownerOf('b', 'other'))).to.equal(50)
      expect(slots.available(failing)).to.equal(2)
    })

    it("keeps the number of slots while one is in use, because the endpoint isn't forgotten then", async () => {
      const owner = ownerOf('a', 'shop')
      const [first, ...others] = takeAll(slots, owner)
      freeAll(others, null)
      await time.advance(600_000)
      slots.available(ownerOf('b', 'other'))
      // The held slot has become a slow one.
      expect(takeAll(slots, owner)).to.have.length(49)
      first?.free(null)
      expect(slots.inFlight()).to.equal(49)
    })

    it("limits a business's endpoints at the same origin to a tenth of the process's slots in total", () => {
      const own = ['1', '2', '3'].map((name) => ownerOf('a', name, 'one.example:8443'))
      expect(takeAll(slots, ...own)).to.have.length(100)
      expect(takeAll(slots, ownerOf('a', '4', 'one.example'))).to.have.length(50)
      expect(takeAll(slots, ownerOf('b', '1', 'one.example:8443'))).to.have.length(50)
    })

    it("counts slots for the endpoint's current origin but frees them at the origin they were taken for", () => {
      const [before, after] = [ownerOf('a', '1', 'old.example'), ownerOf('a', '1', 'new.example')]
      const taken = takeAll(slots, before)
      freeAll(taken.splice(0, 20), null)
      expect(takeAll(slots, after)).to.have.length(20)
      expect(slots.available(ownerOf('a', '2', 'new.example'))).to.equal(50)
      const others = (origin: string) => takeAll(slots, ownerOf('a', '3', origin), ownerOf('a', '4', origin))
      expect(others('new.example')).to.have.length(80)
      freeAll(taken, null)
      const old = (name: string) => ownerOf('a', name, 'old.example')
      expect(takeAll(slots, old('5'), old('6'))).to.have.length(100)
    })
  })

  describe('for a business', () => {
    it("grants at most a quarter of the process's slots", () => {
      expect(takeAll(slots, ...endpoints('a', 20))).to.have.length(250)
      expect(slots.available(ownerOf('a', 'e21'))).to.equal(0)
      expect(slots.available(ownerOf('b', 'e0'))).to.equal(50)
    })

    it('grants a slot only while more are free than the business holds, so some are left for others', () => {
      const held = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(
        (id) => takeAll(slots, ...endpoints(id, 20)).length,
      )
      expect(held).to.deep.equal([250, 250, 250, 125, 62, 31, 16])
      for (const late of ['x', 'y', 'z']) expect(slots.takeNow(ownerOf(late, 'e0'))).to.not.equal(null)
    })
  })

  it('frees a slot only once, however often it is released', () => {
    const [first, second] = takeAll(slots, failing)
    slots.clearWaiting(failing.endpointId)
    for (const _again of [1, 2, 3]) first?.free(true)
    expect([slots.inFlight(), slots.available(failing)]).to.deep.equal([1, 2])
    second?.free(true)
    expect([slots.inFlight(), slots.available(failing), time.timers()]).to.deep.equal([0, 4, 0])
  })

  describe('for attempts that may take longer than 5 s', () => {
    it('turns a fast slot into a slow one after 5 s, which frees it for the endpoint and the business', async () => {
      const owner = ownerOf('a', 'hanging')
      takeAll(slots, owner)
      await time.advance(fastAttemptMs - 1)
      expect(slots.available(owner)).to.equal(0)
      await time.advance(1)
      expect(slots.inFlight()).to.equal(50)
      // Each of the 50 slow attempts has taken one slot from the window.
      expect(slots.available(owner)).to.equal(2)
      expect(slots.available(ownerOf('a', 'other'))).to.equal(50)
    })

    it("counts a slot as fast while all of the business's slow slots are in use", async () => {
      const own = endpoints('a', 5)
      const hanging = takeAll(slots, ...own)
      expect(hanging).to.have.length(250)
      await time.advance(fastAttemptMs)
      const others = endpoints('a', 20).slice(5)
      // 100 have become slow, and 150 still count as fast.
      expect(takeAll(slots, ...others)).to.have.length(100)
      expect(slots.inFlight()).to.equal(350)
      freeAll(hanging.slice(0, 10), false)
      expect(takeAll(slots, ...others)).to.have.length(10)
      expect(slots.available(ownerOf('b', 'e0'))).to.equal(50)
    })

    it('leaves some slow slots for others and uses a slow slot as soon as any business frees one', async () => {
      const held = new Map<string, AttemptSlot[]>()
      for (const businessId of ['a', 'b', 'c', 'd']) {
        held.set(businessId, takeAll(slots, ...endpoints(businessId, 2)))
        await time.advance(fastAttemptMs)
      }
      // 100 of each of the first three have become slow, and 50 of the last. That leaves 50 free, and the other 50
      // count as fast.
      const takeOthers = () => takeAll(slots, ...endpoints('d', 40).slice(2)).length
      expect(takeOthers()).to.equal(250 - 50)
      freeAll((held.get('a') ?? []).slice(0, 4), false)
      expect(takeOthers()).to.equal(2)
    })

    it('counts no slots as in use, fast or slow, once all have been freed', async () => {
      const all = ['a', 'b', 'c', 'd', 'e'].flatMap((id) => takeAll(slots, ...endpoints(id, 20)))
      await time.advance(fastAttemptMs)
      all.push(...['f', 'g'].flatMap((businessId) => takeAll(slots, ...endpoints(businessId, 20))))
      freeAll(all, null)
      expect(slots.inFlight()).to.equal(0)
      await time.advance(10)
      expect(time.timers()).to.equal(0)
      for (const businessId of ['a', 'f', 'new'])
        expect(takeAll(slots, ...endpoints(businessId, 30).slice(20))).to.have.length(250)
    })
  })

  describe('for attempts with large bodies', () => {
    const mega = 'x'.repeat(1_000_000)
    const largest = mega.repeat(6)

    it('allows 6 000 000 characters in flight per business', () => {
      const own = takeAll(slots, ownerOf('a', 'large'))
      expect(own.filter((slot) => slot.count(mega))).to.have.length(6)
      expect(slots.takeNow(ownerOf('b', 'large'))?.count(mega)).to.equal(true)
      own[0]?.free(true)
      expect(own.at(-1)?.count(mega)).to.equal(true)
    })

    it('allows 24 000 000 characters in total and always keeps some of them free', () => {
      for (const businessId of ['a', 'b', 'c'])
        expect(slots.takeNow(ownerOf(businessId, 'large'))?.count(largest)).to.equal(true)
      expect(takeAll(slots, ownerOf('d', 'large')).filter((slot) => slot.count(mega))).to.have.length(3)
      expect(slots.takeNow(ownerOf('e', 'large'))?.count(mega)).to.equal(true)
    })

    it("grants only as many slots as there is memory for large bodies, once one body hasn't fit", () => {
      const large = ownerOf('a', 'large')
      const own = takeAll(slots, large)
      const counted = own.filter((slot) => slot.count(mega))
      for (const slot of own) if (!counted.includes(slot)) slot.free(null)
      expect(slots.available(large)).to.equal(0)
      expect(slots.available(ownerOf('a', 'small'))).to.equal(50)
      freeAll(counted.splice(0, 3), null)
      expect(slots.available(large)).to.equal(3)
      expect(slots.takeNow(large)?.count('x'.repeat(600))).to.equal(true)
      // The next body may be small.
      expect(slots.available(large)).to.equal(50 - 4)
    })
  })

  describe('with endpoints waiting for slots', () => {
    const owner = failing
    function countReports() {
      let count = 0
      slots.onAvailable(async () => {
        count += 1
        return 0
      })
      return async (ms: number) => {
        await time.advance(ms)
        return count
      }
    }

    it('reports freed slots to the worker in one call soon afterwards', async () => {
      const reportsAfter = countReports()
      const taken = takeAll(slots, owner)
      expect(slots.waiting()).to.deep.equal([owner])
      freeAll(taken, true)
      expect(await reportsAfter(0)).to.equal(0)
      expect(await reportsAfter(10)).to.equal(1)
      expect(await reportsAfter(1_000)).to.equal(1)
      slots.takeNow(owner)?.free(true)
      expect(await reportsAfter(10)).to.equal(2)
      slots.clearWaiting(owner.endpointId)
      expect(slots.waiting()).to.deep.equal([])
      slots.takeNow(owner)?.free(true)
      expect(await reportsAfter(10)).to.equal(2)
    })

    it('never makes two calls at once, but reports slots freed during a call once that call has ended', async () => {
      const ends: (() => void)[] = []
      slots.onAvailable(() => new Promise((resolve) => ends.push(() => resolve(0))))
      const taken = takeAll(slots, owner)
      taken[0]?.free(true)
      const served = time.advance(10)
      await new Promise(setImmediate)
      taken[1]?.free(true)
      slots.takeNow(owner)?.free(true)
      await new Promise(setImmediate)
      expect(ends).to.have.length(1)
      ends[0]?.()
      await served
      const again = time.advance(10)
      await new Promise(setImmediate)
      expect(ends).to.have.length(2)
      ends[1]?.()
      await again
      expect(time.timers()).to.equal(0)
    })

    it('waits longer after a call that started many attempts, so that more slots are free at the next one', async () => {
      const calls: number[] = []
      slots.onAvailable(async () => {
        calls.push(time.elapsedMs())
        return 100
      })
      const [first, second] = takeAll(slots, owner)
      first?.free(true)
      await time.advance(15)
      second?.free(true)
      await time.advance(100)
      expect(calls).to.deep.equal([10, 70])
    })

    it('reports to the worker when an attempt frees a fast slot by becoming slow', async () => {
      const reportsAfter = countReports()
      takeAll(slots, owner)
      expect(await reportsAfter(fastAttemptMs + 10)).to.equal(1)
    })

    it('reports to the worker on request if an endpoint is waiting, even if no slot was freed', async () => {
      const reportsAfter = countReports()
      slots.serveWaiting()
      expect(await reportsAfter(10)).to.equal(0)
      slots.setWaiting(owner)
      slots.serveWaiting()
      expect(await reportsAfter(10)).to.equal(1)
    })

    it('offers slots to endpoints in the order in which they were refused one', () => {
      const [first, second] = [ownerOf('a', '1'), ownerOf('b', '2')]
      slots.setWaiting(first)
      slots.setWaiting(second)
      slots.setWaiting(first)
      expect(slots.waiting()).to.deep.equal([first, second])
      slots.clearWaiting(first.endpointId)
      slots.setWaiting(first)
      expect(slots.waiting()).to.deep.equal([second, first])
    })
  })

  describe('with relays waiting for slots', () => {
    const owner = ownerOf('a', 'shop')

    function wait(of = owner) {
      const relay: { result: 'waiting' | 'slot' | 'none' } = { result: 'waiting' }
      void slots.take(of).then((slot) => (relay.result = slot === null ? 'none' : 'slot'))
      return relay
    }
    const resultsOf = async (...relays: ReturnType<typeof wait>[]) => {
      await new Promise(setImmediate)
      return relays.map(({ result }) => result)
    }
    function fill(...owners: SlotOwner[]): AttemptSlot[] {
      const taken = takeAll(slots, ...owners)
      for (const { endpointId } of owners) slots.clearWaiting(endpointId)
      return taken
    }

    it("gives a relay the slot that the business's other endpoint at the same origin frees", async () => {
      const at = (name: string) => ownerOf('a', name, 'one.example:8443')
      const held = takeAll(slots, at('1'), at('2'))
      expect(held).to.have.length(100)
      const relay = wait(at('3'))
      expect(await resultsOf(relay)).to.deep.equal(['waiting'])
      held[0]?.free(null)
      expect(await resultsOf(relay)).to.deep.equal(['slot'])
    })

    it('gives no slot to a relay that has waited a tenth of a second', async () => {
      const held = fill(owner)
      const relay = wait()
      await time.advance(99)
      expect(await resultsOf(relay)).to.deep.equal(['waiting'])
      await time.advance(1)
      expect(await resultsOf(relay)).to.deep.equal(['none'])
      expect(slots.waiting()).to.deep.equal([owner])
      freeAll(held, null)
      expect(await resultsOf(wait())).to.deep.equal(['none'])
    })

    it('lets at most 500 relays per endpoint wait', async () => {
      fill(owner)
      const results = await resultsOf(...Array.from({ length: 501 }, () => wait()))
      expect(results.filter((result) => result === 'none')).to.have.length(1)
      const other = ownerOf('b', 'shop')
      fill(other)
      expect(await resultsOf(wait(other))).to.deep.equal(['waiting'])
    })

    it('lets no relay wait if deliveries to the endpoint are already due or the process is shutting down', async () => {
      const held = takeAll(slots, owner)
      expect(await resultsOf(wait())).to.deep.equal(['none'])
      slots.clearWaiting(owner.endpointId)
      const relay = wait()
      expect(await resultsOf(relay)).to.deep.equal(['waiting'])
      slots.close()
      held[0]?.free(null)
      expect(await resultsOf(relay)).to.deep.equal(['none'])
    })
  })

  it('grants no slots before the process opens them or after it closes them', () => {
    const closed = createAttemptSlots(time)
    const owner = ownerOf('a', 'shop')
    expect([closed.isOpen(), closed.takeNow(owner), closed.available(owner)]).to.deep.equal([false, null, 0])
    expect(closed.waiting()).to.deep.equal([])
    closed.open()
    const held = closed.takeNow(owner)
    closed.close()
    expect([closed.isOpen(), closed.takeNow(owner), closed.inFlight()]).to.deep.equal([false, null, 1])
    held?.free(true)
    expect(closed.inFlight()).to.equal(0)
  })
})
