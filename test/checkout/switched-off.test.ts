import { expect } from 'chai'
import { openAdmin } from '../admin/admin.ts'
import { createIntent } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { debits, fill, open, pay, seen, wallets } from './customer.ts'

describe('The pages of a business that is switched off', () => {
  let house: House
  let merchant: Merchant
  beforeEach(async () => {
    house = await openHouse()
    merchant = await house.merchant()
  })
  afterEach(() => house.close())

  const offer = async (asked: object = {}) => {
    const created = await createIntent(house, merchant, { amount: 50_000, ...asked })
    return { ...created, path: `/p/${created.shortCode}` }
  }
  const switchBusiness = (to: 'disable' | 'enable') =>
    openAdmin(house).done('business', to, merchant.businessId)

  it('take no money, by link, by a form that was open, or by code, until it is on again', async () => {
    const { path, code, referenceNumber } = await offer({ cancel_url: 'https://shop.example/no' })
    const form = await open(house, path)
    await switchBusiness('disable')
    const page = await open(house, path)
    expect([page.status, page.headers.get('retry-after')]).to.deep.equal([503, '60'])
    expect(page.says).to.include('Payment is not available right now').and.include(referenceNumber)
    expect(page.html).not.to.include('<form')
    expect(page.html).to.include('https://shop.example/no')
    const after = await pay(form, wallets.pays)
    expect([after.status, after.says.includes('Payment is not available right now')]).to.deep.equal([
      503,
      true,
    ])
    const body = new URLSearchParams({ code })
    const byCode = await seen(`${house.origin}/sandbox/${merchant.businessId}`, { method: 'POST', body })
    expect((await open(house, byCode.location ?? '')).status).to.equal(503)
    expect(await debits(house, merchant)).to.equal(0)
    await switchBusiness('enable')
    expect((await pay(await open(house, path), wallets.pays)).says).to.include('Payment successful')
  })

  it('still tell what was paid; and the main switch of the API leaves customers alone', async () => {
    const [paid, other] = [await offer(), await offer()]
    await pay(await open(house, paid.path), wallets.pays)
    await switchBusiness('disable')
    const page = await open(house, paid.path)
    expect([page.status, page.says.includes('Payment successful')]).to.deep.equal([200, true])
    await switchBusiness('enable')
    await openAdmin(house).done('api', 'off')
    expect((await fill(await open(house, other.path), wallets.pays)).status).to.equal(303)
  })
})
