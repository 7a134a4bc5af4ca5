import { newId } from '../../src/platform/ids.ts'
import { createBusinessShop } from '../../src/store/shops/shops.ts'
import { createIntent, relay, requestIntent } from '../support/actions.ts'
import { pay, refund, simulate } from '../support/pay.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { withService } from '../support/service.ts'
import { nextPath, operator, readable, withStaff } from './staff.ts'

describe('A staff page about businesses', () => {
  const service = withService()
  const viewer = withStaff(service, 'viewer')

  it('shows businesses page by page and filters them by name and state', async () => {
    const { businessId } = await service.merchant()
    const { _id: _, ...business } = await service.deps.Business.findById(businessId).orFail().lean()
    const copies = Array.from({ length: 51 }, (_each, index) => ({
      ...business,
      _id: newId(),
      name: `Kiosk ${index}`,
      suspended: index < 2,
      liveApproved: index !== 1,
    }))
    await service.deps.Business.insertMany(copies)
    const idsAt = async (path: string) => {
      const { status, text } = await viewer.get(path)
      expect(status, path).to.equal(200)
      const ids = [...text.matchAll(/<td data-label="Id" class="id">(\w+)</g)].map(([, id]) => id)
      return { ids, next: nextPath(text) ?? '' }
    }
    const first = await idsAt('/admin/businesses?name=kiosk')
    expect(first.ids).to.have.lengthOf(50)
    const second = await idsAt(first.next)
    expect([second.ids.length, second.next]).to.deep.equal([1, ''])
    expect(new Set([...first.ids, ...second.ids])).to.deep.equal(new Set(copies.map(({ _id }) => _id)))
    const [one, two] = copies.map(({ _id }) => _id)
    expect((await idsAt('/admin/businesses?state=suspended')).ids).to.have.members([one, two])
    expect((await idsAt('/admin/businesses?state=test-only&name=KIOSK')).ids).to.deep.equal([two])
    const odd = ['state=x', 'state=constructor', 'name=a&name=b', 'name=%00', 'after=nothing', 'name=((']
    for (const query of [...odd, `name=%00${'a'.repeat(1100)}`]) await idsAt(`/admin/businesses?${query}`)
  })

  it('charts the payments and refunds of the last 30 days without a script', async () => {
    const merchant = await service.merchant()
    const path = `/admin/businesses/${merchant.businessId}`
    const { referenceNumber } = await createIntent(service, merchant, { amount: 50_000 })
    await simulate(service, merchant, referenceNumber)
    await refund(service, merchant, referenceNumber, 20_000)
    await relay(service, merchant)
    expect(readable((await viewer.get(path)).text)).to.include('Amount paid: 0.00 MRU')
    const { text } = await viewer.get(`${path}?environment=sandbox`)
    const rows = text.match(/<tr><td data-label="Day">\d+ \w+<.*?<\/tr>/gs) ?? []
    const days = rows.map((row) => readable(row).trim())
    expect(days).to.have.lengthOf(30)
    expect(days[0]).to.match(/^\d+ \w+ 1 500.00 MRU 1 200.00 MRU$/)
    expect(days[1]).to.match(/ 0 0.00 MRU 0 0.00 MRU$/)
    const label = 'aria-label="Amount paid per day: 500.00 MRU in total, at most 500.00 MRU in one day."'
    expect(text).to.include(label)
    expect([...text.matchAll(/<rect /g)]).to.have.lengthOf(4 * 30)
    expect(text).not.to.match(/<script|style="| on\w+="/)
  })

  it("shows a business's keys, shops, unpaid intents and payments with an unknown outcome", async () => {
    const wallet = scriptedWallet(service)
    const merchant = await service.merchant()
    const { businessId, key } = merchant
    await service.key(businessId, { mode: 'live', kind: 'publishable', scopes: ['store.products:read'] })
    await createBusinessShop(service.deps, { businessId, name: 'Chez <Aïcha>' }, operator)
    const { referenceNumber } = await requestIntent(service, merchant)
    await requestIntent(service, merchant)
    wallet.setOutcome(() => ({ outcome: 'unknown', why: 'timeout' }))
    await pay(service, referenceNumber)
    const { text } = await viewer.get(`/admin/businesses/${businessId}`)
    const today = service.clock.now().toISOString().slice(0, 10)
    expect(readable(text))
      .to.match(new RegExp(`sk_test_…${key.slice(-4)} active test secret all .*? UTC ${today}`))
      .and.match(/pk_live_…\w{4} active live publishable store\.products:read .*? UTC never/)
      .and.include('Chez <Aïcha> (live)')
      .and.include('0 live, 2 in the sandbox')
      .and.match(new RegExp(`${referenceNumber} sandbox payment 500\\.00 MRU`))
    expect(text).to.not.include(key)
  })
})
