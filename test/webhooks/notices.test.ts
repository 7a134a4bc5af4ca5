import { parseConfig } from '../../src/config/config.ts'
import { createNotifier, sendNotices } from '../../src/webhooks/endpoints/notices.ts'
import { reportFailures } from '../../src/webhooks/endpoints/report-failures.ts'
import { signedIn } from '../admin/staff.ts'
import { createIntent, relay, subscribe } from '../support/actions.ts'
import { makeAllAttempts } from '../support/dead-deliveries.ts'
import { withEndpointServer, withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { recordLog } from '../support/recorded-log.ts'
import {
  freshEnvironment,
  type Merchant,
  type Service,
  withMerchantPerTest,
  withSecondProcess,
  withService,
} from '../support/service.ts'

const hourMs = 3_600_000

describe('A notice to operators', () => {
  const recorded = recordLog()
  const service = withService({ WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1' }, recorded.log)
  const beside = withSecondProcess(service)
  const merchantsServer = withEndpointServer()
  const chat = withEndpointServerPerTest()
  const merchant = withMerchantPerTest(service)
  let endpointId: string

  const openNotifier = () => createNotifier({ ...service.deps.config, noticeUrl: `${chat.url}?token=s3cret` })
  const texts = () => chat.received.map(({ body }) => (JSON.parse(body) as { text: string }).text)
  beforeEach(async () => {
    for (const { deps } of [service, beside]) deps.notifier = openNotifier()
    merchantsServer.respondWith((res) => void res.writeHead(500).end())
    endpointId = (await subscribe(service, merchant, `${merchantsServer.url}?token=m3rchant`)).id
  })
  afterEach(async () => {
    for (const { deps } of [service, beside]) await deps.notifier?.close()
    // Otherwise, the next test's operators are told about this endpoint.
    await service.deps.Notice.updateMany({}, { nextAttemptAt: null })
    await service.deps.Endpoint.updateMany({}, { active: false })
  })

  function advance(ms: number) {
    for (const { clock } of [service, beside]) clock.advance(ms)
  }
  /** At noon of the next day, so that no test crosses midnight. */
  beforeEach(() => advance(36 * hourMs - (service.clock.now().getTime() % (24 * hourMs))))

  async function letDie(as: Merchant = merchant): Promise<string> {
    const intent = await createIntent(service, as, { amount: 4_711, label: 'Mehari of Fatimetou' })
    await relay(service, as)
    const delivery = await service.deps.Delivery.findOne({ referenceNumber: intent.referenceNumber }).lean()
    const before = service.clock.now().getTime()
    await makeAllAttempts(service, { _id: delivery?._id ?? '' })
    beside.clock.advance(service.clock.now().getTime() - before)
    await service.deps.healthNotes.close()
    return intent.referenceNumber
  }
  const poll = async (...processes: Service[]) => {
    for (const { deps } of processes) {
      // As if the last run was over a minute ago.
      await service.deps.NoticeRun.deleteMany({})
      await sendNotices(deps)
    }
  }

  it('is sent once per endpoint and day with a DEAD delivery', async () => {
    await letDie()
    await Promise.all([service, beside].map(({ deps }) => sendNotices(deps)))
    expect(texts()).to.have.length(1)
    await letDie()
    await poll(service, beside, service)
    expect(texts()).to.have.length(1)
    advance(24 * hourMs)
    await poll(service, beside)
    expect(texts()).to.have.length(1)
    await letDie()
    await poll(service, beside)
    expect(texts()).to.have.length(2)
    expect(texts()[1]).to.match(/DEAD deliveries since [\d-]{10}: 1\. /)
  })

  it('names the endpoint, its business and host, and links to its page, but tells nothing about customers', async () => {
    const referenceNumber = await letDie()
    await poll(service)
    const [text = ''] = texts()
    const { businessId } = merchant
    for (const part of [endpointId, businessId, merchantsServer.host, 'The test endpoint', 'status 500'])
      expect(text).to.include(part)
    for (const secret of [referenceNumber, '4711', '47.11', 'Mehari', 'Fatimetou', 'm3rchant', '/hook'])
      expect(text).to.not.include(secret)
    expect(JSON.parse(chat.received[0]?.body ?? '')).to.have.all.keys('text')
    const { publicUrl } = service.deps.config
    const link = text.split(' ').at(-1) ?? ''
    expect(link.startsWith(`${publicUrl}/admin/`), link).to.equal(true)
    const staff = await signedIn(service, 'viewer')
    expect((await staff.get(link.slice(publicUrl.length))).text).to.include(endpointId)
  })

  it('is sent about an endpoint that was reported as failing', async () => {
    const $set = { 'health.failuresInRow': 3, 'health.failingSince': service.clock.now() }
    await service.deps.Endpoint.updateOne({ _id: endpointId }, { $set })
    advance(24 * hourMs)
    await poll(service)
    expect(texts()).to.have.length(0)
    await reportFailures(service.deps)
    await poll(service, beside)
    expect(texts()).to.have.length(1)
    expect(texts()[0]).to.include(endpointId).and.include('DEAD deliveries since')
    // Another process has another ENDPOINT_WARNING_HOURS.
    beside.deps.config.endpointWarningMs = 96 * hourMs
    advance(48 * hourMs)
    await poll(service, beside)
    expect(texts()).to.have.length(1)
    // It expires, and a new process doesn't know it.
    await service.deps.Notice.deleteMany({ endpointId })
    advance(30 * 24 * hourMs)
    service.deps.notifier = openNotifier()
    await poll(service)
    expect(texts()).to.have.length(1)
  })

  it('is one message about all active endpoints if many have failed, and no further one follows within a minute', async () => {
    const others = Array.from({ length: 4 }, () => subscribe(service, merchant, merchantsServer.url))
    const disabled = (await Promise.all(others))[0]?.id
    const $set = { 'health.failuresInRow': 3, 'health.failingSince': service.clock.now() }
    await service.deps.Endpoint.updateMany({ businessId: merchant.businessId }, { $set })
    advance(24 * hourMs)
    await reportFailures(service.deps)
    await poll(service)
    expect(texts()).to.have.length(1)
    expect(texts()[0]).to.match(/^5 endpoints had DEAD deliveries or are failing, e\.g\. (?:http\S+ ?){5}$/)
    await service.deps.Endpoint.updateOne({ _id: disabled ?? '' }, { active: false })
    await service.deps.Notice.updateMany({ businessId: merchant.businessId }, { nextAttemptAt: new Date(0) })
    for (const { deps } of [service, beside]) await sendNotices(deps)
    expect(texts()).to.have.length(1)
    advance(61_000)
    for (const { deps } of [service, beside]) await sendNotices(deps)
    expect(texts()).to.have.length(2)
    expect(texts()[1])
      .to.match(/^4 endpoints had/)
      .and.not.include(disabled)
  })

  it("doesn't call an endpoint failing that has recovered since", async () => {
    await letDie()
    await service.deps.Endpoint.updateOne({ _id: endpointId }, { 'health.failingSince': null })
    await poll(service)
    expect(texts()[0]).to.include('had DEAD deliveries').and.not.include('is failing')
  })

  it('reaches a host written with a final dot', async () => {
    const noticeUrl = `http://localhost.:${new URL(chat.url).port}/`
    service.deps.notifier = createNotifier({ ...service.deps.config, noticeUrl })
    await letDie()
    await poll(service)
    expect(texts()).to.have.length(1)
  })

  it('is repeated after growing waits while the server refuses it, and given up after six attempts', async () => {
    chat.respondWith((res) => void res.writeHead(503).end())
    await letDie()
    await poll(service, beside)
    for (const waitMs of [60_000, 300_000, 1_800_000, 7_200_000, 21_600_000]) {
      const count = texts().length
      // The clock also runs by itself, and the machine may be slow.
      advance(waitMs - 40_000)
      await poll(service, beside)
      expect(texts()).to.have.length(count)
      advance(40_000)
      await poll(service, beside)
      expect(texts()).to.have.length(count + 1)
    }
    advance(24 * hourMs)
    await poll(service, beside)
    expect(texts()).to.have.length(6)
    const { text } = await service.http.get('/metrics')
    expect(text).to.match(/notices_total\{outcome="failed"\} [1-5]\n/)
    expect(recorded.text).to.include('"notice.not-sent"').and.not.include('s3cret')
  })

  it('is attempted as often in one message with others as alone', async () => {
    await Promise.all(Array.from({ length: 4 }, () => subscribe(service, merchant, merchantsServer.url)))
    const $set = { 'health.failuresInRow': 3, 'health.failingSince': service.clock.now() }
    await service.deps.Endpoint.updateMany({ businessId: merchant.businessId }, { $set })
    advance(24 * hourMs)
    await reportFailures(service.deps)
    await poll(service)
    const own = { businessId: merchant.businessId }
    await service.deps.Notice.updateMany(own, { failures: 4, nextAttemptAt: new Date(0) })
    await service.deps.Notice.updateOne(own, { failures: 0 })
    chat.respondWith((res) => void res.writeHead(503).end())
    await poll(service)
    const failures = async () =>
      (await service.deps.Notice.find(own).lean())
        .map((each) => each.failures)
        .toSorted((one, other) => one - other)
    expect(await failures()).to.deep.equal([1, 5, 5, 5, 5])
    advance(61_000)
    await poll(service)
    expect(await failures()).to.deep.equal([2, 6, 6, 6, 6])
    expect(await service.deps.Notice.countDocuments({ ...own, nextAttemptAt: null })).to.equal(4)
  })

  it('is still sent after a kill between the DEAD delivery and the notice', async () => {
    await letDie()
    advance(8 * hourMs)
    // A new process starts without the dead one's memory.
    beside.deps.notifier = openNotifier()
    await poll(beside)
    expect(texts()).to.have.length(1)
  })

  it('is sent again after a kill before the result was stored', async () => {
    await letDie()
    const { notifier } = service.deps
    if (notifier === null) throw new Error('no notifier')
    const { send } = notifier
    notifier.send = async (text) => {
      await send(text)
      throw new Error('killed')
    }
    await sendNotices(service.deps).catch(() => undefined)
    await sendNotices(beside.deps)
    expect(texts()).to.have.length(1)
    advance(61_000)
    await sendNotices(beside.deps)
    expect(texts()).to.have.length(2)
  })

  it('is not sent about a deleted endpoint', async () => {
    await letDie()
    await service.http
      .delete(`/api/v1/dev/webhooks/endpoints/${endpointId}`)
      .set(merchant.write())
      .expect(200)
    await poll(service, beside)
    expect(texts()).to.have.length(0)
    expect(await service.deps.Notice.countDocuments({ endpointId, nextAttemptAt: { $ne: null } })).to.equal(0)
  })
})

describe('NOTICE_WEBHOOK_URL', () => {
  const faultOf = (changes: Record<string, string>): string => {
    try {
      parseConfig(freshEnvironment(changes))
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  it('may be private and have a query, but needs https in production and is never quoted', () => {
    expect(faultOf({ NOTICE_WEBHOOK_URL: 'http://10.0.0.7:8080/hooks/s3cret?key=s3cret' })).to.equal('')
    const inProduction = faultOf({ NODE_ENV: 'production', NOTICE_WEBHOOK_URL: 'http://10.0.0.7/s3cret' })
    expect(inProduction).to.include('NOTICE_WEBHOOK_URL must use https').and.not.include('s3cret')
    const invalid = faultOf({ NOTICE_WEBHOOK_URL: 'chat.example/s3cret' })
    expect(invalid).to.include('NOTICE_WEBHOOK_URL must be http(s)://').and.not.include('s3cret')
  })
})
