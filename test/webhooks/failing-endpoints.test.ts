import { pollOutboxes } from '../../src/relay/poll.ts'
import { runCleanUp } from '../../src/retention/clean-up.ts'
import { maskUrl } from '../../src/webhooks/endpoints/endpoint-facts.ts'
import { reportFailures } from '../../src/webhooks/endpoints/report-failures.ts'
import { signedIn } from '../admin/staff.ts'
import {
  attempt,
  changeAsOperator,
  deliveriesOf,
  relay,
  storedBodies,
  storedBody,
  subscribe,
} from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { overtake } from '../support/kill-at-every-step.ts'
import { lockDocument } from '../support/lock.ts'
import { schemaErrorsOf } from '../support/payment-events.ts'
import { runReplays } from '../support/replays.ts'
import type { Merchant, Service } from '../support/service.ts'
import { withAnotherKey, withSecondProcess, withServiceAndMerchantPerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { createIntents } from '../workers/set-up.ts'

const path = '/api/v1/dev/webhooks'
const hourMs = 3_600_000
const unwatched = { count: () => undefined, done: () => undefined }

describe('A failing endpoint', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const beside = withSecondProcess(service)
  const endpointServer = withEndpointServer()
  let failing: string
  let other: string
  beforeEach(async () => {
    respond(500)
    const { url } = endpointServer
    failing = (
      await subscribe(service, merchant, `${url}?token=s3cret`, ['payment.created', 'endpoint.failing'])
    ).id
    other = (await subscribe(service, merchant, url, ['endpoint.failing'])).id
    await subscribe(service, merchant, url, ['payment.expired'])
  })
  const respond = (status: number) => endpointServer.respondWith((res) => void res.writeHead(status).end())
  const change = (body: object) =>
    service.http.put(`${path}/endpoints/${failing}`).set(merchant.write()).send(body).expect(200)
  const listed = async () =>
    (await service.http.get(path).set(merchant.read()).expect(200)).body.data.items.find(
      ({ id }: { id: string }) => id === failing,
    )
  function advance(ms: number) {
    service.clock.advance(ms)
    beside.clock.advance(ms)
  }
  /** Makes the first attempts of new deliveries to the endpoint, and writes the results at once. */
  async function attemptNew(count: number, as: Merchant = merchant) {
    const made = await createIntents(service, as, count)
    await relay(service, as)
    const of = { referenceNumber: { $in: made.map(({ referenceNumber }) => referenceNumber) } }
    const deliveries = await service.deps.Delivery.find(of).lean()
    await Promise.all(deliveries.map(({ _id }) => attempt(service.deps, _id)))
    await service.deps.healthNotes.close()
  }
  /** These processes' workers poll, but only for work on endpoints. */
  async function poll(...processes: Service[]) {
    await Promise.all(processes.map(({ deps }) => reportFailures(deps)))
    advance(2_000)
    await Promise.all(processes.map(({ deps }) => pollOutboxes(deps)))
  }
  const reports = async () =>
    (await deliveriesOf(service, merchant)).filter(({ event }) => event === 'endpoint.failing')
  const statuses = async () => {
    return (await storedBodies(service, await reports())).map(({ sandbox, data }) => [data.status, sandbox])
  }

  it('is reported once to other subscribed endpoints after ENDPOINT_WARNING_HOURS', async () => {
    await attemptNew(2)
    advance(23 * hourMs)
    await attemptNew(1)
    await poll(service, beside)
    expect(await reports()).to.have.length(0)
    advance(hourMs)
    await poll(service, beside)
    await poll(service, beside)
    const [report] = await reports()
    expect(await statuses()).to.deep.equal([['FAILING', true]])
    expect(report).to.include({ endpointId: other, referenceNumber: failing, sandbox: true })
    expect((await service.http.get('/metrics')).text).to.match(/^payment_intents_failing_endpoints [1-9]/m)
    await attemptNew(1)
    advance(48 * hourMs)
    await poll(service, beside)
    expect(await reports()).to.have.length(1)
    respond(200)
    await attemptNew(1)
    await poll(service, beside)
    respond(500)
    await attemptNew(1)
    await poll(service, beside)
    expect(await statuses()).to.deep.equal([
      ['FAILING', true],
      ['RECOVERED', true],
    ])
    const logged = await service.deps.LoggedEvent.find({ referenceNumber: failing }).sort('number').lean()
    expect(logged.map(({ facts, sandbox }) => [facts.status, sandbox])).to.deep.equal(await statuses())
    const replay = { from: new Date(0), events: ['endpoint.failing'] }
    for (const id of [failing, other])
      await service.http.post(`${path}/endpoints/${id}/replay`).set(merchant.write()).send(replay).expect(201)
    await runReplays(service.deps)
    expect((await reports()).map(({ endpointId }) => endpointId)).to.deep.equal([other, other])
    for (const body of await storedBodies(service, await reports())) {
      expect(schemaErrorsOf(body)).to.deep.equal([])
      const url = maskUrl(service.deps, `${endpointServer.url}?token=s3cret`)
      const about = { endpoint_id: failing, reference_number: failing, url }
      expect(body.data).to.include({ ...about, last_error: 'status', last_response_status: 500 })
    }
  })

  it('is reported again if it fails again after a recovery', async () => {
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    const { id: failingLive } = await subscribe(service, live, endpointServer.url, ['payment.created'])
    const { id: otherLive } = await subscribe(service, live, endpointServer.url, ['endpoint.failing'])
    for (const _each of [1, 2]) {
      respond(500)
      // All of these events are test events, even those sent to the live endpoint.
      await attemptNew(2)
      advance(24 * hourMs)
      await poll(service)
      respond(200)
      await attemptNew(1)
      await poll(service)
    }
    const seen = (await reports()).map(
      ({ referenceNumber, endpointId }) => `${referenceNumber} ${endpointId}`,
    )
    const pairs = [`${failing} ${other}`, `${failing} ${otherLive}`, `${failingLive} ${otherLive}`]
    expect(seen.toSorted()).to.deep.equal(pairs.flatMap((pair) => [pair, pair, pair, pair]).toSorted())
    const logged = async () => {
      const found = await service.deps.LoggedEvent.find({
        event: 'endpoint.failing',
        businessId: merchant.businessId,
      })
      return found.map(({ referenceNumber, sandbox }) => `${referenceNumber} ${sandbox}`).toSorted()
    }
    const [ofTest, ofLive] = [`${failing} true`, `${failingLive} false`]
    expect(await logged()).to.have.members([ofTest, ofTest, ofTest, ofTest, ofLive, ofLive, ofLive, ofLive])
    advance(31 * 24 * hourMs)
    await runCleanUp(service.deps, new AbortController().signal, unwatched)
    expect(await logged()).to.deep.equal([ofLive, ofLive, ofLive, ofLive])
  })

  it('is reported once even if several processes relay the event', async () => {
    await attemptNew(2)
    advance(24 * hourMs)
    await Promise.all([reportFailures(service.deps), reportFailures(beside.deps)])
    expect((await service.deps.Endpoint.findById(failing).orFail().lean()).outbox).to.have.length(1)
    await service.http.delete(`${path}/endpoints/${failing}`).set(merchant.write()).expect(200)
    advance(2_000)
    await Promise.all([service, beside, service, beside].map(({ deps }) => pollOutboxes(deps)))
    expect(await statuses()).to.deep.equal([['FAILING', true]])
    expect(await service.deps.LoggedEvent.countDocuments({ referenceNumber: failing })).to.equal(1)
    expect(await service.deps.Endpoint.countDocuments({ 'outbox.0': { $exists: true } })).to.equal(0)
    const [report] = await reports()
    respond(200)
    endpointServer.received.splice(0)
    await attempt(service.deps, report?._id ?? '')
    expect(endpointServer.received.map(({ body }) => body)).to.deep.equal([await storedBody(service, report)])
  })

  it('is not reported after one failure, after failed tests or while it is disabled', async () => {
    const test = `${path}/endpoints/${failing}/test`
    respond(200)
    await attemptNew(1)
    respond(500)
    await attemptNew(1)
    for (let sent = 0; sent < 2; sent += 1) await service.http.post(test).set(merchant.write()).expect(200)
    advance(24 * hourMs)
    await poll(service)
    await attemptNew(1)
    for (const [stopped, resumed] of [
      [{ apiEnabled: false }, { apiEnabled: true }],
      [{ suspended: true }, { suspended: false }],
    ]) {
      await changeAsOperator(service, merchant.businessId, stopped ?? {})
      await poll(service)
      await changeAsOperator(service, merchant.businessId, resumed ?? {})
    }
    await change({ active: false })
    await poll(service)
    expect(await reports()).to.have.length(0)
  })

  for (const [what, act] of [
    ['succeeds', async () => (respond(200), attemptNew(1))],
    ['gets a new URL', async () => change({ url: 'https://other.example/hook' })],
    ['is disabled', async () => change({ active: false })],
  ] as [string, () => Promise<unknown>][])
    it(`is not reported if it ${what} between the poll's read and write`, async () => {
      await attemptNew(2)
      advance(24 * hourMs)
      await service.deps.Endpoint.updateMany(
        { _id: { $ne: failing } },
        { $set: { 'health.failingSince': null } },
      )
      await overtake(service, 3, [reportFailures, act])
      await poll(service)
      expect(await reports()).to.have.length(0)
    })

  it('has its earlier results cleared when the merchant enables it or changes its URL', async () => {
    const unused = { lastSuccessAt: null, lastFailureAt: null, failuresInRow: 0, lastError: null }
    for (const changes of [[{ active: false }, { active: true }], [{ url: endpointServer.url }]]) {
      await attemptNew(2)
      advance(24 * hourMs)
      for (const each of changes) await change(each)
      expect((await listed()).health).to.deep.equal(unused)
      await attemptNew(1)
      advance(24 * hourMs)
      await poll(service)
      expect(await reports()).to.have.length(0)
    }
    await change({ events: ['payment.created'] })
    await attemptNew(1)
    await poll(service)
    expect(await statuses()).to.deep.equal([['FAILING', true]])
  })

  it('ignores the result of an attempt at its previous URL', async () => {
    await change({ url: endpointServer.url })
    noteTimeout(failing)
    await service.deps.healthNotes.close()
    expect((await listed()).health).to.include({ failuresInRow: 0, lastError: null })
  })

  it('has its results from the last 24 hours shown to its merchant and to staff', async () => {
    const page = async () =>
      (await (await signedIn(service, 'viewer')).get(`/admin/endpoints/${failing}`)).text
    const none = { attempts: 0, succeeded: 0, successRate: null, lastError: null }
    expect((await listed()).last24Hours).to.deep.equal(none)
    expect(await page()).to.include('No attempts.')
    await attemptNew(2)
    respond(200)
    await attemptNew(1)
    advance(hourMs)
    await attemptNew(1)
    const { last24Hours, health } = await listed()
    const lastError = { at: health.lastFailureAt, error: 'status', responseStatus: 500 }
    expect(last24Hours).to.deep.equal({ attempts: 4, succeeded: 2, successRate: 0.5, lastError })
    expect(await page()).to.include('2 of 4 attempts succeeded (50 %).')
    advance(23 * hourMs)
    expect((await listed()).last24Hours).to.deep.include({ attempts: 1, successRate: 1, lastError: null })
    respond(500)
    await attemptNew(2)
    advance(24 * hourMs)
    await poll(service)
    expect((await listed()).last24Hours).to.deep.equal(none)
    expect(await page())
      .to.include('<span class="badge bad">failing</span>')
      .and.match(/No attempts\. Failing since .* reported/)
  })

  it('is reported even while a transaction has another endpoint locked', async () => {
    const { Endpoint } = service.deps
    const url = `${endpointServer.url}?token=s3cret`
    const { id: locked } = await subscribe(service, merchant, url, ['payment.created'])
    await attemptNew(2)
    advance(24 * hourMs)
    const isReported = async (_id: string) =>
      (await Endpoint.findById(_id).orFail().lean()).reportedFailure !== null
    const events = async (_id: string) => (await Endpoint.findById(_id).orFail().lean()).outbox.length
    let unlock = await lockDocument(service, Endpoint, locked)
    for (const id of [locked, failing]) noteTimeout(id)
    const writing = service.deps.healthNotes.close()
    await waitFor('the health of the other', async () =>
      Endpoint.exists({ _id: failing, 'health.lastError': 'timeout' }),
    )
    expect(await reportFailures(service.deps)).to.equal(1)
    expect([await isReported(locked), await isReported(failing)]).to.deep.equal([false, true])
    await unlock()
    await writing
    expect((await Endpoint.findById(locked).orFail().lean()).health.failuresInRow).to.equal(3)
    expect(await reportFailures(service.deps)).to.equal(1)
    unlock = await lockDocument(service, Endpoint, locked)
    advance(2_000)
    await pollOutboxes(service.deps)
    expect([await events(locked), await events(failing)]).to.deep.equal([1, 0])
    await unlock()
    await pollOutboxes(service.deps)
    expect(await events(locked)).to.equal(0)
    const about = (await reports()).map(({ referenceNumber, endpointId }) => [referenceNumber, endpointId])
    expect(about).to.have.deep.members([
      [failing, other],
      [locked, failing],
      [locked, other],
    ])
  })

  function noteTimeout(endpointId: string) {
    const at = service.clock.now()
    const url = `${endpointServer.url}?token=s3cret`
    service.deps.healthNotes.note({ endpointId, url, at, durationMs: 70, stage: 'timeout', status: null })
  }
})
