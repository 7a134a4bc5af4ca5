import { createLookupLimit, type LookupLimit } from '../../src/checkout/limits.ts'
import { createIntent } from '../support/actions.ts'
import { createGate } from '../support/gate.ts'
import { withSecondProcess, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { fill, open, pay, seen, wallets } from './customer.ts'

const hit = async () => 'payment'
const miss = async () => null

describe('The limiter for payment links and codes', () => {
  const service = withService({ TRUST_PROXY: '1' })
  const beside = withSecondProcess(service)
  let limit: LookupLimit
  let otherLimit: LookupLimit
  before(async () => {
    ;[limit, otherLimit] = [createLookupLimit(service.deps), createLookupLimit(beside.deps)]
  })
  const counts = () => service.deps.Counter
  const forget = () => {
    for (const { clock } of [service, beside]) clock.advance(600_000)
  }
  beforeEach(forget)
  /** In a /16 that no other test uses. */
  let carriers = 0
  const elsewhere = () => `100.${++carriers}.0.1`
  const ways = {
    link: (ip: string, find: () => Promise<string | null>) => limit.link(ip, find),
    code: (ip: string, find: () => Promise<string | null>) => limit.code(ip, 'live', find),
    'test-code': (ip: string, find: () => Promise<string | null>) => limit.code(ip, 'test', find),
  }
  type Way = keyof typeof ways
  const inBoth = <T>(count: number, act: (limit: LookupLimit, index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => act(index % 2 === 0 ? limit : otherLimit, index)))
  const outcomes = async (times: number, act: () => Promise<{ outcome: string }>) => {
    const all = await Promise.all(Array.from({ length: times }, act))
    return [...new Set(all.map(({ outcome }) => outcome))]
  }

  for (const way of Object.keys(ways) as Way[]) {
    const look = ways[way]
    const most = way === 'link' ? 300 : 30
    it(`refuses an address, but no others, after ${most} failed lookups in ten minutes (by ${way})`, async () => {
      const ip = elsewhere()
      expect(await outcomes(most, () => look(ip, miss))).to.deep.equal(['missed'])
      for (const late of [await look(ip, miss), await look(ip, hit)]) {
        expect(late.outcome).to.equal('closed')
        expect(late.outcome === 'closed' && late.closedMs).to.be.within(580_000, 600_000)
      }
      expect(await look(ip.replace(/1$/, '2'), hit)).to.deep.equal({ outcome: 'found', found: 'payment' })
      forget()
      expect((await look(ip, hit)).outcome).to.equal('found')
    })
    it(`does not count successful lookups (by ${way})`, async () => {
      const ip = elsewhere()
      for (let time = 0; time < 2; time += 1) {
        expect(await outcomes(20, () => look(ip, hit))).to.deep.equal(['found'])
        await waitFor('the counts are taken back', async () => {
          return ((await counts().findById(`${way} ${ip}/32`).lean())?.used ?? 0) === 0
        })
      }
      expect(await outcomes(most, () => look(ip, miss))).to.deep.equal(['missed'])
      expect((await look(ip, hit)).outcome).to.equal('closed')
    })
    const sizes = [
      [10, '2001:db8:7::/48', '2001:db8:7:1::1', '2001:db8:7:2::1', '2001:db8:8::1'],
      [30, '2001:db8:7700::/40', '2001:db8:7701::1', '2001:db8:7702::1', '2001:db8:7800::1'],
      [100, '2001:dba::/32', '2001:dba:100::1', '2001:dba:200::1', '2001:dbb::1'],
      [10, '203.0.113.0/24', '203.0.113.1', '203.0.113.2', '203.0.114.1'],
      [100, '198.18.0.0/16', '198.18.1.1', '198.18.2.1', '198.19.0.1'],
    ] as const
    for (const [share, full, first, second, outside] of sizes)
      it(`refuses all of ${full}, but no address outside it, after ${share * most} failed lookups (by ${way})`, async () => {
        const key = `${way} ${full}`
        expect((await look(first, miss)).outcome).to.equal('missed')
        expect(await counts().findById(key).lean()).to.include({ used: 1 })
        await counts().updateOne({ _id: key }, { used: share * most - 1 })
        expect((await look(second, miss)).outcome).to.equal('missed')
        for (const find of [hit, miss]) {
          const late = await look(second, find)
          expect(late.outcome).to.equal('closed')
          expect(late.outcome === 'closed' && late.closedMs).to.be.within(580_000, 600_000)
        }
        expect((await look(outside, hit)).outcome).to.equal('found')
        expect(await counts().findById(key).lean()).to.include({ used: share * most })
      })
    it(`counts failed lookups separately for each kind of lookup (by ${way})`, async () => {
      const ip = elsewhere()
      await outcomes(most + 1, () => look(ip, miss))
      for (const other of Object.keys(ways) as Way[])
        if (other !== way) expect((await ways[other](ip, hit)).outcome).to.equal('found')
      expect((await service.http.get('/metrics')).text).to.match(
        new RegExp(`^payment_intents_lookups_total{kind="${way}",outcome="closed"} [1-9]`, 'm'),
      )
    })
  }

  it('never refuses a customer because of requests from other networks, whether for links, codes, PINs, QR codes or receipts', async () => {
    const merchant = await service.merchant()
    const [intent, paid] = [await createIntent(service, merchant), await createIntent(service, merchant)]
    await pay(await open(service, `/p/${paid.shortCode}`), wallets.pays)
    const sandbox = `/sandbox/${merchant.businessId}`
    const wrong = intent.code === '000000' ? '111111' : '000000'
    const enter = (code: string, headers: object) =>
      seen(service.origin + sandbox, {
        method: 'POST',
        body: new URLSearchParams({ code }),
        headers: { ...headers },
      })
    const strangers = ['203.0.113.99', 'unknown'].map((from) => ({ 'X-Forwarded-For': from }))
    for (const from of strangers) {
      for (let sent = 0; sent < 31; sent += 1) await enter(wrong, from)
      for (let sent = 0; sent < 301; sent += 1) await open(service, '/p/222222', from)
      const page = await open(service, `/p/${intent.shortCode}`, from)
      const refused = page.status === 429 ? null : await fill(page, wallets.wrongPin, from)
      expect([page.status, refused?.status]).to.deep.equal(
        from === strangers[0] ? [429, undefined] : [200, 422],
      )
      if (refused !== null)
        for (let pin = 0; pin < 25; pin += 1)
          await fill(await open(service, page.url, from), wallets.wrongPin, from)
    }
    for (const from of ['198.51.100.1', '2001:db8:99::1', 'unknown', 'unix:', '_hidden', '']) {
      const headers = { 'X-Forwarded-For': from }
      const page = `/p/${intent.shortCode}`
      for (const path of [page, `${page}/status`, `${page}/qr`, `${page}/qr.svg`, `${page}/qr.png`])
        expect((await open(service, path, headers)).status, `${path} ${from}`).to.equal(200)
      const entered = await enter(intent.code, headers)
      const refused = await fill(await open(service, page, headers), wallets.wrongPin, headers)
      expect([entered.status, refused.status], from).to.deep.equal([303, 422])
      const receipt = await open(service, `/p/${paid.shortCode}`, headers)
      expect(receipt.says, from).to.include('Payment successful')
    }
  })

  it('lets concurrent processes look up only as many codes as the limit still allows', async () => {
    let lookedUp = 0
    const find = async () => {
      lookedUp += 1
      return null
    }
    const ip = elsewhere()
    const all = await inBoth(100, (each) => each.code(ip, 'live', find))
    expect(lookedUp).to.equal(30)
    expect(all.filter(({ outcome }) => outcome === 'closed')).to.have.length(70)
    // The same for a /48, with each lookup from a different network.
    await limit.code('2001:db8:9::1', 'live', miss)
    await counts().updateOne({ _id: 'code 2001:db8:9::/48' }, { used: 290 })
    lookedUp = 0
    await inBoth(100, (each, index) => each.code(`2001:db8:9:${index + 1}::1`, 'live', find))
    expect(lookedUp).to.be.within(1, 10)
  })

  it('admits at most 300 parallel link lookups per process', async () => {
    const [ip, gate] = [elsewhere(), createGate()]
    let closed = 0
    const all = inBoth(650, async (each, index) => {
      const { outcome } = await each.link(ip, () => gate.passed.then(index < 300 ? miss : hit))
      if (outcome === 'closed') closed += 1
      return outcome
    })
    await waitFor('the others are refused', () => closed === 50)
    gate.open()
    expect((await all).filter((outcome) => outcome === 'missed')).to.have.length(300)
    expect(closed).to.equal(50)
    for (const each of [limit, otherLimit]) expect((await each.link(ip, hit)).outcome).to.equal('closed')
  })
})
