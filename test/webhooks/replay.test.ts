import type { EventName } from '../../schemas/events.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  endReplay,
  leaseDueReplay,
  releaseReplay,
  runReplay,
  saveReplayProgress,
} from '../../src/replays/run.ts'
import { countUndelivered, maxCountedEvents } from '../../src/replays/selected-events.ts'
import type { PlannedReplay } from '../../src/replays/start.ts'
import { maxReplayEventsPerDay, maxReplaysPerDay, planReplay, startReplay } from '../../src/replays/start.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { startPollLoops } from '../../src/work/loop.ts'
import { polledWorks } from '../../workers/run/start.ts'
import { createIntent, recordRecentSuccess, subscribe } from '../support/actions.ts'
import { chanceOf } from '../support/chance.ts'
import { withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { createGate } from '../support/gate.ts'
import { lockDocument } from '../support/lock.ts'
import { type Logged, logEvents, runReplays, storeDeliveries } from '../support/replays.ts'
import {
  tester,
  withAnotherKey,
  withSecondProcess,
  withServiceAndMerchantPerTest,
} from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { holdRequests } from '../workers/set-up.ts'

const minuteMs = 60_000
const names = ['payment.created', 'payment.expired', 'payment.failed'] as const satisfies EventName[]
const subscribed: EventName[] = ['payment.created', 'payment.expired']

describe('An event replay', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const second = withSecondProcess(service)
  const endpointServer = withEndpointServerPerTest()
  let endpoint: { _id: string; url: string }
  let referenceNumber: string
  let base: number
  beforeEach(async () => {
    ;({ referenceNumber } = await createIntent(service, merchant))
    const { id } = await subscribe(service, merchant, endpointServer.url, subscribed)
    await service.deps.Intent.updateOne({ referenceNumber }, { $set: { outbox: [] } })
    endpoint = { _id: id, url: endpointServer.url }
    second.allowHost(endpointServer.host)
    await recordRecentSuccess(service, id)
    base = service.clock.now().getTime() - 600 * minuteMs
  })
  const at = (minute: number) => new Date(base + minute * minuteMs)
  const path = () => `/api/v1/dev/webhooks/endpoints/${endpoint._id}/replay`
  const send = (body: object, headers = merchant.write()) => service.http.post(path()).set(headers).send(body)
  async function start(body: object, headers = merchant.write()): Promise<{ id: string; total: number }> {
    const response = await send(body, headers)
    expect(response.status, response.text).to.equal(201)
    return response.body.data
  }
  const read = async (id: string) =>
    (await service.http.get(`${path()}s/${id}`).set(merchant.read())).body.data
  const cancel = (id: string) => service.http.post(`${path()}s/${id}/cancel`).set(merchant.write())
  async function log(logged: readonly Logged[]): Promise<string[]> {
    const ids = await logEvents(service, merchant, referenceNumber, logged)
    if (logged.some(({ state }) => state !== undefined)) await storeDeliveries(service, endpoint, ids, logged)
    return ids
  }
  const deliveries = async (): Promise<Map<string, Delivery>> => {
    const found = await service.deps.Delivery.find({ businessId: merchant.businessId }).lean<Delivery[]>()
    return new Map(found.map((delivery) => [delivery._id, delivery]))
  }
  const received = () => endpointServer.received.map(({ json }) => json.id).toSorted()

  it("can't be changed by a worker that has lost its lease", async () => {
    await log([{ event: 'payment.created', at: at(1) }])
    const { id } = await start({ from: at(0) })
    const lost = (await leaseDueReplay(service.deps)) ?? expect.fail()
    service.clock.advance(10_000)
    const leased = (await leaseDueReplay(service.deps)) ?? expect.fail()
    const before = await read(id)
    const reached = { createdAt: at(1), eventId: 'x' }
    const counts = { requeued: 0, created: 1, skipped: 0 }
    expect(await saveReplayProgress(service.deps, lost, reached, counts)).to.equal(null)
    expect(await endReplay(service.deps, lost, null)).to.equal(null)
    expect(await read(id)).to.deep.equal(before)
    const cancelled = (await cancel(id)).body.data
    await releaseReplay(service.deps, leased, 0)
    expect(await endReplay(service.deps, leased, null)).to.equal(null)
    expect(await leaseDueReplay(service.deps)).to.equal(null)
    expect(await read(id)).to.deep.equal(cancelled)
  })

  for (const onlyUndelivered of [false, true])
    it(`delivers each ${onlyUndelivered ? 'undelivered ' : ''}event in its period once and no others, even with two workers`, async () => {
      const chance = chanceOf(4711, String(onlyUndelivered))
      const logged = Array.from({ length: 60 }, () => ({
        event: chance.pick(names),
        // Several events happen in the same millisecond, and some exactly at the ends of the period.
        at: at(chance.whole(1, 40)),
        // A replay waits while 10 deliveries are due.
        state: chance.weighted({ none: 5, due: 1, RETRYING: 3, DELIVERED: 5, DEAD: 3, CANCELLED: 2 }),
        sandbox: chance.is(0.8),
      }))
      const eventIds = await log(logged)
      const other = 'https://other.example/hook'
      const { id: otherId } = await subscribe(service, merchant, other, subscribed)
      const dead = logged.map((each) => ({ ...each, state: 'DEAD' as const }))
      await storeDeliveries(service, { _id: otherId, url: other }, eventIds, dead)
      const before = await deliveries()
      const from = at(10)
      const to = at(30)
      const { id, total } = await start({ from: from.toISOString(), to: to.toISOString(), onlyUndelivered })
      await log([{ event: 'payment.created', at: at(20) }])
      await Promise.all([runReplays(service.deps), runReplays(second.deps)])
      const selected = logged
        .map((each, index) => ({ ...each, id: makeDeliveryId(eventIds[index] ?? '', endpoint._id) }))
        .filter((each) => each.sandbox && each.event !== 'payment.failed' && each.at >= from && each.at <= to)
      const isSkipped = ({ state }: Logged) => state === 'due' || (onlyUndelivered && state === 'DELIVERED')
      const acted = selected.filter((each) => !isSkipped(each))
      const created = acted.filter(({ state }) => state === 'none').length
      expect(received()).to.deep.equal(acted.map((each) => each.id).toSorted())
      expect(await read(id)).to.deep.include({
        status: 'DONE',
        total,
        requeued: acted.length - created,
        created,
        skipped: total - acted.length,
      })
      expect(total).to.equal(selected.length)
      const touched = new Set(acted.map((each) => each.id))
      const after = await deliveries()
      expect([...after.keys()].filter((each) => !before.has(each))).to.have.length(created)
      for (const [each, delivery] of after)
        if (touched.has(each)) expect(delivery).to.include({ status: 'DELIVERED', nextAttemptAt: null })
        else expect(delivery).to.deep.equal(before.get(each))
    })

  const failed = (minute: number, count = 1): Logged[] =>
    Array.from({ length: count }, () => ({ event: 'payment.created', at: at(minute), state: 'DEAD' }))
  const whole = { from: new Date(0).toISOString() }

  it('does not wait for Redis', async () => {
    const { queues, ...deps } = service.deps
    const redis = createGate()
    const storedJobs = { ...queues.storedJobs, remove: () => redis.passed }
    await log(failed(1, 25))
    await start(whole)
    const withoutRedis = { ...deps, queues: { ...queues, storedJobs } }
    deps.slots.open()
    // On a busy machine, the replay is released before it has ended.
    await waitFor('all webhooks', async () => {
      const leased = await leaseDueReplay(deps)
      if (leased) await runReplay(withoutRedis, leased, new AbortController().signal)
      return received().length === 25
    })
    redis.open()
    await deps.backgroundWork.ended()
    deps.slots.close()
  })

  it('sends exactly as many events as its dry run counted', async () => {
    const chance = chanceOf(4711, 'undelivered')
    const logged = Array.from({ length: 1_010 }, () => ({
      event: chance.pick(subscribed),
      // The count reads 1,000 events at a time, and many events happen in the same millisecond.
      at: at(chance.whole(1, 5)),
      state: chance.weighted({ DELIVERED: 400, none: 1, RETRYING: 1, DEAD: 1, CANCELLED: 1 }),
    }))
    await log([
      ...logged,
      { event: 'payment.failed', at: at(2) },
      { event: 'payment.created', at: at(2), sandbox: false },
    ])
    await logEvents(service, merchant, endpoint._id, [{ event: 'payment.created', at: at(2) }])
    const request = { ...whole, onlyUndelivered: true }
    const { body, status } = await send({ ...request, dryRun: true })
    const { undelivered, total } = body.data
    expect([status, total]).to.deep.equal([200, 1_011])
    expect(body.data).to.include({ id: null, status: null, dryRun: true })
    expect(await service.deps.Replay.countDocuments({ endpointId: endpoint._id })).to.equal(0)
    expect(undelivered).to.equal(logged.filter(({ state }) => state !== 'DELIVERED').length)
    expect((await send(request)).body.data.undelivered).to.equal(null)
    await runReplays(service.deps)
    expect(received()).to.have.length(undelivered)
    expect((await send({ ...request, dryRun: true })).body.data.undelivered).to.equal(0)
    const tooMany = { total: maxCountedEvents + 1 } as PlannedReplay
    expect(await countUndelivered(tooMany, service.deps)).to.equal(null)
  })

  it("is rejected if it can't be carried out", async () => {
    const { deps } = service
    const refused = async (body: object, headers = merchant.write()) =>
      (await send(body, headers)).body.error.code
    const later = new Date(service.clock.now().getTime() + minuteMs).toISOString()
    expect(await refused({})).to.equal('VALIDATION_ERROR')
    expect(await refused({ from: later })).to.equal('VALIDATION_ERROR')
    expect(await refused({ from: '2026-02-01', to: '2026-01-31' })).to.equal('VALIDATION_ERROR')
    for (const event of ['payment.paid', 'payment.failed'])
      expect(await refused({ ...whole, events: [event] })).to.equal('INVALID_WEBHOOK_EVENT')
    const narrow = await withAnotherKey(service, merchant, { scopes: ['webhooks.deliveries:write'] })
    expect(await refused(whole, narrow.write())).to.equal('EVENTS_NOT_PERMITTED')
    const other = await withAnotherKey(service, merchant, { mode: 'live' })
    const { id } = await start(whole)
    expect(await refused(whole)).to.equal('RATE_LIMITED')
    expect(await refused(whole, other.write())).to.equal('SANDBOX_MISMATCH')
    const foreign = await service.http.get(`${path()}s/${id}`).set(other.read())
    expect(foreign.body.error.code).to.equal('SANDBOX_MISMATCH')
    expect((await service.http.get(`${path()}s`).set(merchant.read())).body.data.items[0].id).to.equal(id)
    await cancel(id)
    await deps.Endpoint.updateOne({ _id: endpoint._id }, { $set: { active: false } })
    expect(await refused(whole)).to.equal('ENDPOINT_NOT_ACTIVE')
    await deps.Endpoint.updateOne({ _id: endpoint._id }, { $set: { active: true } })
    await log(failed(1))
    await deps.Replay.updateOne({ _id: id }, { $set: { total: maxReplayEventsPerDay } })
    expect(await refused(whole)).to.equal('RATE_LIMITED')
    await deps.Replay.updateOne({ _id: id }, { $set: { total: 0 } })
    await addReplays(id, maxReplaysPerDay - 1)
    expect(await refused(whole)).to.equal('RATE_LIMITED')
    const ofLive = await subscribe(service, other, endpointServer.url, subscribed)
    const live = service.http.post(path().replace(endpoint._id, ofLive.id)).set(other.write()).send(whole)
    expect((await live.expect(201)).body.data.sandbox).to.equal(false)
  })

  async function addReplays(id: string, count: number) {
    const stored = await service.deps.Replay.findById(id).orFail().lean()
    const others = Array.from({ length: count }, (_, index) => {
      const { numberOfDay } = stored
      return { ...stored, _id: newId(), numberOfDay: numberOfDay + index + 1 }
    })
    await service.deps.Replay.insertMany(others)
  }

  it('is rejected once 100 have been started that day', async () => {
    await log(failed(1))
    const { id } = await start(whole)
    await cancel(id)
    await addReplays(id, maxReplaysPerDay - 3)
    const others = await Promise.all(
      [1, 2, 3].map(() => subscribe(service, merchant, endpointServer.url, subscribed)),
    )
    const started = await Promise.all(
      [endpoint._id, ...others.map((other) => other.id)].map((endpointId, index) =>
        (index % 2 === 0 ? service : second).http
          .post(path().replace(endpoint._id, endpointId))
          .set(merchant.write())
          .send(whole),
      ),
    )
    expect(started.map(({ status }) => status)).to.have.members([201, 201, 429, 429])
    expect(await service.deps.Replay.countDocuments({ businessId: merchant.businessId })).to.equal(
      maxReplaysPerDay,
    )
  })

  it('does not start if its endpoint is deleted or disabled in the meantime', async () => {
    await log(failed(1))
    const stored = await service.deps.Endpoint.findById(endpoint._id).orFail().lean()
    const wanted = { from: at(0), to: null, events: null, onlyUndelivered: false }
    const planned = await planReplay(service.deps, stored, wanted)
    const { body } = await service.http
      .put(path().replace('/replay', ''))
      .set(merchant.write())
      .send({ active: false })
    expect(body.data.active).to.equal(false)
    const started = startReplay(service.deps, planned, tester).catch(({ code }: { code: string }) => code)
    expect(await started).to.equal('ENDPOINT_NOT_ACTIVE')
    const { AuditEvent } = service.deps
    expect(await AuditEvent.countDocuments({ subject: endpoint._id, act: 'endpoint.replayed' })).to.equal(0)
  })

  it('starts only once for several requests with the same idempotency key', async () => {
    await log(failed(1, 2))
    const headers = merchant.write()
    const first = await send(whole, headers)
    await runReplays(service.deps)
    const again = await send(whole, headers)
    expect([again.status, again.text]).to.deep.equal([201, first.text])
    expect(endpointServer.received).to.have.length(2)
    const { AuditEvent } = service.deps
    const lines = await AuditEvent.find({ subject: endpoint._id, act: 'endpoint.replayed' }).lean()
    expect(lines.map(({ actor }) => actor.name)).to.deep.equal([merchant.keyId])
    expect(lines[0]?.after).to.include({ replayId: first.body.data.id, total: 2 })
  })

  it('stops when it is cancelled or its endpoint is disabled', async () => {
    const { deps } = service
    await log(failed(1, 50))
    const { id } = await start(whole)
    const requests = holdRequests(endpointServer)
    const running = runReplays(deps)
    await endpointServer.atLeast(1)
    const { body } = await cancel(id)
    requests.release()
    expect(body.data).to.include({ status: 'CANCELLED', cancellationReason: 'requested' })
    await running
    const { requeued } = await read(id)
    expect(requeued).to.equal(endpointServer.received.length)
    expect(requeued).to.be.lessThan(50)
    expect((await cancel(id)).body.data.finishedAt).to.equal(body.data.finishedAt)
    expect(
      await deps.AuditEvent.countDocuments({ act: 'endpoint.replay-cancelled', subject: endpoint._id }),
    ).to.equal(1)
    const next = await start(whole)
    await deps.Endpoint.updateOne({ _id: endpoint._id }, { $set: { active: false } })
    await runReplays(deps)
    expect(await read(next.id)).to.include({ status: 'CANCELLED', cancellationReason: 'endpoint_gone' })
  })

  it('is continued by a worker while a transaction has another replay locked', async () => {
    await log(failed(1))
    const { id: locked } = await start(whole)
    const { id: beside } = await subscribe(service, merchant, endpointServer.url, subscribed)
    const other = await service.http
      .post(path().replace(endpoint._id, beside))
      .set(merchant.write())
      .send(whole)
    const unlock = await lockDocument(service, service.deps.Replay, locked)
    service.clock.advance(1)
    expect((await leaseDueReplay(service.deps))?._id).to.equal(other.body.data.id)
    expect(await leaseDueReplay(service.deps)).to.equal(null)
    await unlock()
    expect((await leaseDueReplay(service.deps))?._id).to.equal(locked)
    service.clock.advance(11_000)
    await runReplays(service.deps)
  })

  it('pauses while new deliveries are due', async () => {
    await log(failed(1, 5))
    const due = Array.from(
      { length: 10 },
      () => ({ event: 'payment.failed', at: at(50), state: 'due' }) as const,
    )
    await log(due)
    const { id } = await start(whole)
    await runReplays(service.deps)
    expect(await read(id)).to.include({ status: 'RUNNING', requeued: 0 })
    service.deps.slots.open()
    const polling = startPollLoops(service.deps, polledWorks)
    await endpointServer.atLeast(15)
    await waitFor('the replay is DONE', () => service.deps.Replay.exists({ _id: id, status: 'DONE' }))
    await polling.stop()
    service.deps.slots.close()
    const events = endpointServer.received.map(({ json }) => json.event)
    expect(events.slice(0, 10)).to.deep.equal(due.map(({ event }) => event))
  })
})
