import { anyTimeSpan, endSpanNow } from '../../src/input/span.ts'
import { isUnavailable } from '../../src/platform/errors.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Author } from '../../src/security/actor.ts'
import { deadFilter } from '../../src/webhooks/deliveries/backlog.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { finishRequeues, requeueByFilter, requeueDeliveries } from '../../src/webhooks/deliveries/requeue.ts'
import { attempt, freshDelivery, recordRecentSuccess, storedDelivery, subscribe } from '../support/actions.ts'
import { deadDeliveries, deadDelivery } from '../support/dead-deliveries.ts'
import { isSignedWith, withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { createGate } from '../support/gate.ts'
import { killAtEveryStep } from '../support/kill-at-every-step.ts'
import { type Service, withSecondProcess, withServiceAndMerchantPerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const actor = { kind: 'operator', name: 'tester', from: null } as const
const by: Author = { actor, reason: null }
const idsOf = (deliveries: { _id: string }[]): string[] => deliveries.map(({ _id }) => _id)

describe('A delivery re-queue', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const beside = withSecondProcess(service)
  const endpointServer = withEndpointServerPerTest()
  let endpointId: string
  let secret: string
  beforeEach(async () => {
    const events = ['payment.created']
    ;({ id: endpointId, secret } = await subscribe(service, merchant, endpointServer.url, events))
    endpointServer.respondWith((res) => void res.writeHead(500).end())
  })
  const requeue = async (ids: string[]) => [...(await requeueDeliveries(service.deps, ids, by)).values()]
  const trailOf = (deliveries: { _id: string }[]) =>
    service.deps.AuditEvent.find({ subject: { $in: idsOf(deliveries) } }).lean()
  async function oneDead(): Promise<Delivery> {
    const [delivery] = await deadDeliveries(service, merchant, 1)
    return delivery ?? expect.fail()
  }

  it('sends a DEAD delivery immediately, with the same id and bytes', async () => {
    const { _id } = await deadDelivery(service, merchant)
    endpointServer.respondWith((res) => void res.end())
    service.clock.advance(3_600_000)
    await requeue([_id])
    expect(await attempt(service.deps, _id)).to.include({ outcome: 'delivered', attempts: 9 })
    const [last, before, ...others] = endpointServer.received.toReversed()
    if (last === undefined || before === undefined) return expect.fail()
    expect(others).to.have.length(7)
    expect([last.json.id, last.body]).to.deep.equal([_id, before.body])
    expect(isSignedWith(secret, last)).to.equal(true)
    const [at, atBefore] = [last, before].map(({ headers }) => Number(headers['x-service-timestamp']))
    expect((at ?? 0) - (atBefore ?? 0)).to.be.within(3_600, 3_660)
    expect(await storedDelivery(service, { _id })).to.include({ requeues: 1, deadAt: null })
  })

  it('takes effect once even if two processes request it at the same time', async () => {
    const dead = await deadDeliveries(service, merchant, 20)
    const press = async ({ deps }: Service) => [...(await requeueDeliveries(deps, idsOf(dead), by)).values()]
    const outcomes = (await Promise.all([service, beside, service, beside].map(press))).flat()
    expect(outcomes.filter((outcome) => outcome === 'requeued')).to.have.length(20)
    expect(outcomes.filter((outcome) => outcome === 'under_way')).to.have.length(60)
    const now = await service.deps.Delivery.find({ _id: { $in: idsOf(dead) } }).lean()
    for (const { status, requeues } of now) expect([status, requeues]).to.deep.equal(['RETRYING', 1])
    expect((await trailOf(dead)).map(({ subject }) => subject)).to.have.members(idsOf(dead))
  })

  it('changes nothing for a delivery that is being attempted or already re-queued', async () => {
    const gate = createGate()
    endpointServer.respondWith((res) => void gate.passed.then(() => res.writeHead(500).end()))
    const delivery = await oneDead()
    await requeue([delivery._id])
    const running = attempt(service.deps, delivery._id)
    await endpointServer.atLeast(1)
    const before = await storedDelivery(service, delivery)
    expect(await requeue([delivery._id])).to.deep.equal(['under_way'])
    expect(await storedDelivery(service, delivery)).to.deep.equal(before)
    gate.open()
    await running
    expect(await storedDelivery(service, delivery)).to.include({ status: 'DEAD', attempts: 9 })
    await requeue([delivery._id])
    // A delayed delivery, or one seen by a process with a slow clock, is due later. It's still the requested attempt.
    const later = new Date(service.clock.now().getTime() + 60_000)
    await service.deps.Delivery.updateOne({ _id: delivery._id }, { $set: { nextAttemptAt: later } })
    expect(await requeue([delivery._id])).to.deep.equal(['under_way'])
    expect(await storedDelivery(service, delivery)).to.include({ requeues: 2 })
  })

  it('requests another attempt if the last requested one was cancelled', async () => {
    const delivery = await oneDead()
    const switchTo = (active: boolean) =>
      service.deps.Endpoint.updateOne({ _id: endpointId }, { $set: { active } })
    await requeue([delivery._id])
    await switchTo(false)
    await attempt(service.deps, delivery._id)
    expect(await storedDelivery(service, delivery)).to.include({ status: 'CANCELLED', attempts: 8 })
    await switchTo(true)
    expect(await requeue([delivery._id])).to.deep.equal(['requeued'])
    // The staff page would still say that it is cancelled.
    expect(await storedDelivery(service, delivery)).to.not.have.property('cancelledAt')
    await attempt(service.deps, delivery._id)
    expect(await storedDelivery(service, delivery)).to.include({ status: 'DEAD', attempts: 9, requeues: 1 })
  })

  it('changes nothing for a delivery whose attempt was interrupted', async () => {
    const delivery = await oneDead()
    const now = service.clock.now().getTime()
    for (const nextAttemptAt of [new Date(now + 5_000), new Date(now - 1)]) {
      const change = { status: 'RETRYING', nextAttemptAt, deadAt: null, leaseToken: newId() } as const
      await service.deps.Delivery.updateOne({ _id: delivery._id }, { $set: change })
      expect(await requeue([delivery._id])).to.deep.equal(['under_way'])
      expect(await storedDelivery(service, delivery)).to.deep.include({ ...change, requeues: 0 })
    }
  })

  it('returns a separate result for each delivery', async () => {
    const [dead, cancelled, waiting, delivered, fresh, orphan] = await Promise.all([
      oneDead(),
      oneDead(),
      oneDead(),
      oneDead(),
      freshDelivery(service, merchant),
      oneDead(),
    ])
    const set = ({ _id }: Delivery, change: Partial<Delivery>) =>
      service.deps.Delivery.updateOne({ _id }, { $set: { deadAt: null, ...change } })
    const later = new Date(service.clock.now().getTime() + 60_000)
    await Promise.all([
      set(cancelled, { status: 'CANCELLED', attempts: 0 }),
      set(waiting, { status: 'RETRYING', nextAttemptAt: later, attempts: 3 }),
      set(delivered, { status: 'DELIVERED' }),
      set(orphan, { endpointId: newId(), status: 'DEAD' }),
    ])
    const ids = [...idsOf([dead, cancelled, waiting, delivered, fresh, orphan]), 'unknown']
    expect(await requeue(ids)).to.deep.equal(
      'requeued requeued requeued delivered under_way endpoint_gone not_found'.split(' '),
    )
    expect((await trailOf([dead, cancelled, waiting])).map((line) => line.before)).to.have.deep.members([
      { status: 'DEAD', nextAttemptAt: null },
      { status: 'CANCELLED', nextAttemptAt: null },
      { status: 'RETRYING', nextAttemptAt: later },
    ])
    await attempt(service.deps, cancelled._id)
    // This was its first attempt, so the retry table begins.
    const { nextAttemptAt, attemptLog } = await storedDelivery(service, cancelled)
    expect((nextAttemptAt?.getTime() ?? 0) - (attemptLog[0]?.at.getTime() ?? 0)).to.be.within(30_000, 31_000)
  })

  it('can be resumed after stopping between two batches', async () => {
    const dead = await deadDeliveries(service, merchant, 510)
    const deadByNow = () => ({ endpointId, ...deadFilter(endSpanNow(service.deps, anyTimeSpan)) })
    const requeues = async () => {
      const now = await service.deps.Delivery.find({ endpointId }, { requeues: 1 }).lean()
      return now.map((each) => each.requeues)
    }
    const dieAgain = (ids: Iterable<string>) =>
      service.deps.Delivery.updateMany(
        { _id: { $in: [...ids] } },
        { $set: { status: 'DEAD', nextAttemptAt: null, deadAt: service.clock.now() }, $inc: { attempts: 1 } },
      )
    for await (const outcomes of requeueByFilter(service.deps, deadByNow(), by)) {
      expect(outcomes.size).to.equal(500)
      break
    }
    expect((await requeues()).filter((count) => count === 1)).to.have.length(500)
    const which = deadByNow()
    service.clock.advance(1_000)
    let seen = 0
    for await (const outcomes of requeueByFilter(service.deps, which, by)) {
      seen += outcomes.size
      await dieAgain(outcomes.keys())
    }
    expect(seen).to.equal(10)
    expect(await service.deps.Delivery.countDocuments(which)).to.equal(0)
    expect(new Set(await requeues())).to.deep.equal(new Set([1]))
    expect(await trailOf(dead)).to.have.length(510)
  })

  it('is carried out by a poll if its process died', async () => {
    const [delivery, other] = await deadDeliveries(service, merchant, 2)
    if (delivery === undefined || other === undefined) return expect.fail()
    const { collection } = service.deps.Delivery
    const { bulkWrite } = collection
    collection.bulkWrite = () => Promise.reject(new Error('killed'))
    expect(await requeue([delivery._id]).catch((error: Error) => error.message)).to.equal('killed')
    collection.bulkWrite = bulkWrite
    expect(await requeue(idsOf([delivery, other]))).to.deep.equal(['under_way', 'requeued'])
    expect(await storedDelivery(service, delivery)).to.include({ status: 'DEAD', requeues: 0 })
    expect(await finishRequeues(service.deps)).to.equal(0)
    service.clock.advance(10_000)
    expect([await finishRequeues(service.deps), await finishRequeues(service.deps)]).to.deep.equal([1, 0])
    expect(await storedDelivery(service, delivery)).to.include({
      status: 'RETRYING',
      requeues: 1,
      deadAt: null,
    })
    expect(await trailOf([delivery])).to.have.length(1)
  })

  describe('in a process that is killed between any two steps', () => {
    it('requests exactly one attempt with one audit line', async () => {
      await recordRecentSuccess(service, endpointId)
      const dead = await deadDeliveries(service, merchant, 20)
      const steps = await killAtEveryStep(service, {
        prepare: async (): Promise<Delivery> => dead.pop() ?? expect.fail(),
        run: ({ deps }, { _id }) => requeueDeliveries(deps, [_id], by),
        async repeat(delivery) {
          // The killed processes' clocks are so far behind that their plans are due.
          await finishRequeues(service.deps)
          const { attempts, requeues } = await storedDelivery(service, delivery)
          // Nothing has happened, so the button is pressed again.
          const press = () =>
            requeue([delivery._id]).catch((error: unknown) =>
              isUnavailable(error) ? false : Promise.reject(error),
            )
          if (attempts === 8 && requeues === 0)
            expect(await waitFor('the locks of the dead process end', press)).to.deep.equal(['requeued'])
          await attempt(service.deps, delivery._id)
        },
        async check(delivery, label) {
          const { status, attempts, requeues } = await storedDelivery(service, delivery)
          expect([status, attempts, requeues], label).to.deep.equal(['DEAD', 9, 1])
          expect(await trailOf([delivery]), label).to.have.length(1)
          expect(await service.deps.RequeuePlan.countDocuments({ 'deliveries._id': delivery._id })).to.equal(
            0,
          )
        },
      })
      const planning = ['find', 'find', 'find', 'insert', 'insert', 'commitTransaction'].map(
        (name) => `mongodb ${name}`,
      )
      expect(steps).to.deep.equal([
        ...planning,
        'mongodb update',
        'mongodb update',
        'enqueue webhook-delivery',
      ])
    })
  })
})
