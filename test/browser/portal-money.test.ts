import type { Browser, Page } from 'playwright-core'
import { createBusiness } from '../../src/businesses/change-business.ts'
import { operator } from '../admin/staff.ts'
import { addPerson, newName, password } from '../people/member.ts'
import { createIntent, relay, subscribe } from '../support/actions.ts'
import { bookOne } from '../support/ledger.ts'
import { pay, refund, simulate } from '../support/pay.ts'
import { asMerchant, withService } from '../support/service.ts'
import {
  findings,
  openWindow,
  picture,
  type sizes,
  startBrowser,
  type UserWindow,
  widerThanScreen,
} from './browser.ts'

/** 200 characters: markup, an endless change of direction, nowhere to break the line. */
const hostile = `<script>alert(1)</script>"'&amp; \u202Eكتاب \u2067abc 🧺${'W'.repeat(200)}`.slice(0, 200)

describe("The portal's payments and money in a browser", function () {
  this.timeout(240_000)
  const service = withService()
  let browser: Browser
  const windows: UserWindow[] = []
  before(async () => void (browser = await startBrowser()))
  after(() => browser.close())

  async function openShop() {
    const { _id } = await createBusiness(
      service.deps,
      { name: 'Épicerie Tévragh-Zeina', liveApproved: false },
      operator,
    )
    const shop = asMerchant(_id, await service.key(_id))
    const create = async (input: object) => (await createIntent(service, shop, input)).referenceNumber
    await subscribe(service, shop, 'https://boutique.example/paiements/notifications', [
      'payment.created',
      'payment.confirmed',
    ])
    const pending = await create({
      amount: 125_050,
      label: 'Deux sacs de riz',
      metadata: { panier: hostile },
    })
    const hard = await create({ amount: 1, label: hostile, merchantReference: 'W'.repeat(64) })
    const failed = await create({ amount: 500 })
    await simulate(service, shop, failed, { outcome: 'technical_error' })
    const paid = await create({ amount: 9_950_000, label: 'كتاب', merchantReference: 'CMD-2026-0007' })
    await pay(service, paid)
    await refund(service, shop, paid, 12_050)
    await relay(service, shop)
    await bookOne(service, { businessId: _id, sandbox: true }, 'payout', 20_000_000, 'VIR-7')
    const name = newName()
    await addPerson(service, _id, 'owner', name)
    return { name, base: `/portal/${_id}/test`, pending, hard, failed, paid }
  }

  async function enter(name: string, size: keyof typeof sizes, scripts = true): Promise<Page> {
    const opened = await openWindow(browser, service.origin, { size, scripts })
    windows.push(opened)
    const { page } = opened
    await page.goto('/portal/sign-in?lang=en')
    await page.locator('[name=name]').fill(name)
    await page.locator('[name=password]').fill(password)
    await page.locator('main button').click()
    await page.waitForURL((url) => !url.pathname.includes('sign-in'))
    return page
  }

  for (const size of ['phone', 'desktop'] as const)
    it(`have no barriers and fit the screen, in three languages (${size})`, async () => {
      const { name, base, ...payments } = await openShop()
      const day = service.clock.now().toISOString().slice(0, 10)
      const pages = {
        list: '/payments?',
        'list-wrong': '/payments?from=x&minAmount=9&maxAmount=x',
        'list-none': '/payments?status=REFUNDED&to=2020-01-01',
        'search-none': `/payments?q=${encodeURIComponent(hostile)}`,
        'search-some': '/payments?q=5',
        ...Object.fromEntries(Object.entries(payments).map(([key, id]) => [key, `/payments/${id}?`])),
        refund: `/payments/${payments.paid}/refund?`,
        'refund-none': `/payments/${payments.pending}/refund?`,
        export: '/payments/export?kind=payments&file=comma&from=x',
        money: '/money?',
        'money-wrong': '/money?month=x',
        day: `/money/statements/${day}?`,
        entries: '/money/entries?',
        payouts: '/money/entries?type=payout&to=2020-01-01',
        refunds: '/money/refunds?from=2020-01-01',
      }
      const page = await enter(name, size)
      const inspect = async (label: string) => {
        expect(await widerThanScreen(page), label).to.equal(false)
        await picture(page, `portal-${label}`)
        expect(await findings(page), label).to.deep.equal([])
      }
      for (const lang of ['fr', 'ar', 'en']) {
        for (const [key, path] of Object.entries(pages)) {
          await page.goto(`${base}${path}&lang=${lang}`)
          expect(await page.locator('html').getAttribute('lang')).to.equal(lang)
          await inspect(`${key}-${lang}-${size}`)
        }
        await page.goto(`${base}/payments/${payments.paid}/refund?lang=${lang}`)
        await page.locator('[name=amount]').fill('1,500')
        await page.locator('main form button').click()
        await page.getByRole('alert').waitFor()
        await inspect(`refund-wrong-${lang}-${size}`)
      }
      expect(windows.flatMap(({ faults }) => faults)).to.deep.equal([])
    })

  it('let an owner find a payment, refund it in part and download the file, without scripts', async () => {
    const { name, base, paid } = await openShop()
    const page = await enter(name, 'phone', false)
    await page.goto(`${base}/payments`)
    await page.getByLabel('Search').fill('CMD-2026-0007')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(`**/payments/${paid}`)
    await page.getByRole('link', { name: 'Refund' }).click()
    await page.getByLabel('Amount in ouguiya').fill('25')
    await page.getByLabel('Reason').fill('Sac déchiré')
    await page.getByRole('button', { name: 'Refund now' }).click()
    await page.getByRole('status').getByText('has been refunded').waitFor()
    expect(await page.getByRole('main').textContent()).to.include('Sac déchiré')
    await page.goto(`${base}/payments/export`)
    await page.getByLabel('What').selectOption('refunds')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(file.suggestedFilename()).to.equal('refunds.csv')
  })
})
