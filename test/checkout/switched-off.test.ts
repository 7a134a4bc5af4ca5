import { expireIntent } from '../../src/intents/expire.ts'
import { queryWallet } from '../../src/intents/query-wallets.ts'
import { openAdmin } from '../admin/admin.ts'
import { changeAsOperator, deliveriesOf, openSecondProcess, relay, subscribe } from '../support/actions.ts'
import { outboxEventsOf, storedIntent } from '../support/pay.ts'
import { asSpecified, type Provider, send, startProvider } from '../support/provider.ts'
import { payer } from '../support/provider-books.ts'
import { asMerchant, type Merchant, withService } from '../support/service.ts'
import { debits, fill, offerOf, open, pay, type Seen, seen, wallets } from './customer.ts'

const closed = 'Payment is not available right now'
const label = 'Sandales de plage'
const liveWallet = { phone: payer.phone, pin: payer.pin }
const cancelUrl = 'https://shop.example/no'

const switches = {
  approve: { liveApproved: true },
  unapprove: { liveApproved: false },
  disable: { apiEnabled: false },
  enable: { apiEnabled: true },
  suspend: { suspended: true },
  resume: { suspended: false },
} as const

describe('A switched-off business', () => {
  let provider: Provider
  let merchant: Merchant
  before(async () => void (provider = await startProvider()))
  const service = withService(() => provider.environment)
  before(() => provider.setClock(service.clock.now))
  beforeEach(async () => {
    provider.handleOrders(asSpecified)
    provider.wallets.set(payer.phone, { pin: payer.pin, balance: payer.balance })
    merchant = await service.merchant()
  })
  after(() => provider.close())
  const offer = (as = merchant) => offerOf(service, as, { label, cancel_url: cancelUrl })
  const change = (to: keyof typeof switches) => changeAsOperator(service, merchant.businessId, switches[to])
  const liveKey = async () =>
    asMerchant(merchant.businessId, await service.key(merchant.businessId, { mode: 'live' }))
  const list = async (as = merchant, at = service) => {
    const { status, body } = await at.http.get('/api/v1/dev/intents').set(as.read())
    return status === 200 ? 'open' : body.error.code
  }
  const listBoth = async () => [await list(), await list(await liveKey())]
  const byCode = async (code: string): Promise<Seen> => {
    const body = new URLSearchParams({ code })
    const url = `${service.origin}/sandbox/${merchant.businessId}?lang=en`
    return open(service, (await seen(url, { method: 'POST', body })).location ?? '/no-location')
  }
  const payAt = async (path: string, wallet = wallets.pays) =>
    (await pay(await open(service, path), wallet)).says
  const statusOf = async (path: string) => JSON.parse((await open(service, `${path}/status`)).html)

  describe('that is disabled', () => {
    it("can't use the API, but its customers can still pay by link and code", async () => {
      const [linked, coded, half] = [await offer(), await offer(), await offer()]
      const form = await open(service, half.path)
      await change('disable')
      expect(await listBoth()).to.deep.equal(['FEATURE_DISABLED', 'FEATURE_DISABLED'])
      expect((await pay(form, wallets.pays)).says).to.include('Payment successful')
      expect(await payAt(linked.path)).to.include('Payment successful')
      expect((await pay(await byCode(coded.code), wallets.pays)).says).to.include('Payment successful')
      expect(await debits(service, merchant)).to.equal(3)
      await change('enable')
      expect(await list()).to.equal('open')
    })
  })

  describe('that is suspended', () => {
    it("can't use the API or receive payments, even with a form that was already open", async () => {
      const { path, code, referenceNumber } = await offer()
      const form = await open(service, path)
      expect((await statusOf(path)).state).to.equal('pending')
      await change('suspend')
      expect(await listBoth()).to.deep.equal(['FEATURE_DISABLED', 'FEATURE_DISABLED'])
      for (const page of [await open(service, path), await pay(form, wallets.pays), await byCode(code)]) {
        expect([page.status, page.headers.get('retry-after')]).to.deep.equal([503, '60'])
        expect(page.says).to.include(closed).and.include(referenceNumber)
        expect(page.html).not.to.include('<form')
      }
      expect((await statusOf(path)).state).to.equal('unavailable')
      expect(await debits(service, merchant)).to.equal(0)
      await change('resume')
      expect(await list()).to.equal('open')
      expect(await payAt(path)).to.include('Payment successful')
    })

    it('is never named on the payment page, which returns 503 without raising an alert', async () => {
      const { path } = await offer()
      await change('suspend')
      const page = await open(service, path)
      expect(page.says).to.include(closed)
      for (const own of ['Épicerie', label, cancelUrl, merchant.businessId])
        expect(page.html).not.to.include(own)
      const { values } = await service.deps.metrics.requests.get()
      const counted: Record<string, unknown>[] = values.map(({ labels }) => labels)
      const codes = counted.filter(({ route }) => route === 'GET /p/:shortCode').map(({ code }) => code)
      expect(codes).to.include('FEATURE_DISABLED').and.not.include('503')
    })

    it('receives no payment unless the wallet was called before the suspension', async () => {
      const { path, referenceNumber } = await offer()
      const form = await open(service, path)
      const { updateIntent } = service.deps.batchers
      service.deps.batchers.updateIntent = async (...hold) => {
        service.deps.batchers.updateIntent = updateIntent
        const isHeld = await updateIntent(...hold)
        await change('suspend')
        return isHeld
      }
      expect((await pay(form, wallets.pays)).says).to.include(closed)
      expect(await debits(service, merchant)).to.equal(0)
      const { status, hold, attempts } = await storedIntent(service, referenceNumber)
      const outcomes = attempts.map(({ outcome }) => outcome)
      expect([status, hold, outcomes]).to.deep.equal(['PENDING', null, ['not-executed']])
      await change('resume')
      expect(await payAt(path)).to.include('Payment successful')
      expect(await debits(service, merchant)).to.equal(1)
    })

    it('still receives a payment that was already ordered from a wallet', async () => {
      const live = await liveKey()
      const [confirmed, lost] = [await offer(live), await offer(live)]
      const forms = [await open(service, confirmed.path), await open(service, lost.path)]
      provider.handleOrders(async (res, work) => {
        const response = work()
        await change('suspend')
        send(res, response)
      })
      expect((await pay(forms[0] as Seen, liveWallet)).says).to.include('Payment successful')
      await change('resume')
      provider.handleOrders(async (res, work) => {
        work()
        await change('suspend')
        res.destroy()
      })
      expect((await pay(forms[1] as Seen, liveWallet)).says).to.include('Payment in progress')
      const { _id, hold } = await storedIntent(service, lost.referenceNumber)
      service.clock.advance(60_000)
      await queryWallet(service.deps, _id, hold?.id ?? '')
      expect((await open(service, lost.path)).says)
        .to.include('Payment successful')
        .and.include(label)
      for (const { referenceNumber } of [confirmed, lost]) {
        const intent = await storedIntent(service, referenceNumber)
        expect(intent.status).to.equal('PAID')
        expect(outboxEventsOf(intent)).to.deep.equal(['payment.created', 'payment.confirmed'])
      }
    })

    it('still receives webhooks, e.g. when its intents expire', async () => {
      await subscribe(service, merchant, 'https://shop.example/hook')
      const { referenceNumber, path } = await offer()
      await change('suspend')
      expect(await relay(service, merchant)).to.deep.equal({ events: 1, deliveries: 1 })
      service.clock.advance(86_400_000)
      expect(await expireIntent(service.deps, referenceNumber)).to.deep.equal({ expired: true })
      await relay(service, merchant)
      const events = (await deliveriesOf(service, merchant)).map(({ event, status }) => `${event} ${status}`)
      expect(events).to.deep.equal(['payment.created PENDING', 'payment.expired PENDING'])
      const page = await open(service, path)
      expect([page.status, page.says.includes('Time is up')]).to.deep.equal([200, true])
    })
  })

  describe('whose live approval has been withdrawn', () => {
    it("can't use live keys, but test keys and existing live payments still work", async () => {
      const live = await liveKey()
      const { path } = await offer(live)
      await change('unapprove')
      expect([await list(live), await list()]).to.deep.equal(['LIVE_ACCESS_NOT_APPROVED', 'open'])
      const { path: testPath } = await offer()
      expect(await payAt(testPath)).to.include('Payment successful')
      expect(await payAt(path, liveWallet)).to.include('Payment successful')
      await change('approve')
      expect(await list(live)).to.equal('open')
    })
  })

  it('can still be paid while the API is switched off for all businesses', async () => {
    const { path } = await offer()
    await openAdmin(service).done('api', 'off')
    // A new process reads the switch at once.
    const beside = await openSecondProcess(service, provider.environment)
    await openAdmin(service).done('api', 'on')
    expect(await list(merchant, beside)).to.equal('FEATURE_DISABLED')
    expect((await fill(await open(beside, path), wallets.pays)).status).to.equal(303)
    await beside.close()
  })
})
