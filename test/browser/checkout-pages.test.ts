import type { Page } from 'playwright-core'
import { type Locale, locales } from '../../src/checkout/locale.ts'
import { neverCancelsAt } from '../../src/intents/lifecycle.ts'
import { commissionOf } from '../../src/wallets/commission.ts'
import { changeAsOperator, createIntent } from '../support/actions.ts'
import type { Merchant } from '../support/service.ts'
import { findings, picture, sizes, widerThanScreen } from './browser.ts'
import { fillIn, pay, payer, send, textOf, withCounter } from './counter.ts'

/** 200 characters: markup, an endless change of direction, nowhere to break the line. */
const hostile = `<script>alert(1)</script>"'&amp; \u202Eكتاب \u2067abc 🧺${'W'.repeat(200)}`.slice(0, 200)
/** The smallest target that is easy to hit, in CSS pixels. */
const target = 44
const maxBytes = 30 * 1024
const withFee = (centimes: number) => centimes + Math.round(centimes / 100)

interface Shown {
  path: string
  act?: (page: Page, locale: Locale) => Promise<void>
  /** A heading, error or banner that only this page has. */
  says: (locale: Locale) => string
}

describe('A hosted payment page', function () {
  this.timeout(120_000)
  const counter = withCounter()
  let merchant: Merchant
  let pages: Record<string, Shown>
  before(async () => {
    merchant = await counter.service.merchant()
    pages = await preparePages()
  })
  async function preparePages(): Promise<typeof pages> {
    const { service } = counter
    const live = await service.merchant({ mode: 'live' })
    const act = async (reference: string, name: string, body: object) => {
      const { status } = await service.http
        .post(`/api/v1/dev/intents/${reference}/${name}`)
        .set(merchant.write())
        .send(body)
      if (status >= 500) throw new Error(`${name}: ${status}`)
    }
    const order = async (fields: object, ...acts: [name: string, body: object][]) => {
      const { shortCode, referenceNumber } = await counter.order(merchant, fields)
      for (const [name, body] of acts) await act(referenceNumber, name, body)
      return { path: `/p/${shortCode}`, referenceNumber }
    }
    // Expires before the others are created.
    const expired = await order({})
    service.clock.advance(86_400_000)
    const paid: [string, object] = ['simulate-payment', {}]
    const pending = await order({ label: 'كتاب Book 12' })
    const open = await order({ amountType: 'OPEN', amount: 125_050, label: undefined })
    const waiting = await order({})
    const soon = new Date(service.clock.now().getTime() + 3_600_000)
    const commission = commissionOf(50_000, service.deps.config.commissionRates)
    const hold = { id: 'p', wallet: 'sandbox', amount: 50_000, commission, payerPhone: '22 ** ** 01' }
    await service.deps.Intent.updateOne(
      { referenceNumber: waiting.referenceNumber },
      {
        $set: {
          hold: { ...hold, startedAt: soon, validUntil: soon, queryAt: soon },
          cancelsAt: neverCancelsAt,
        },
      },
    )
    const suspended = await service.merchant()
    const hidden = await createIntent(service, suspended, { amount: 50_000, label: hostile })
    await changeAsOperator(service, suspended.businessId, { suspended: true })
    const toPay =
      (centimes: number): Shown['says'] =>
      ({ words, money }) =>
        words.pay.title(money(withFee(centimes)))
    const changed = await service.merchant()
    const { shortCode } = await counter.order(changed, {})
    const changeRates = () =>
      service.deps.Business.updateOne(
        { _id: changed.businessId },
        { $push: { commission: { from: service.clock.now(), provider: 100, payer: ++rate } } },
      )
    let rate = 200
    return {
      code: { path: '/', says: ({ words }) => words.code.title },
      'code-sandbox': { path: `/sandbox/${merchant.businessId}`, says: ({ words }) => words.test },
      'code-wrong': {
        path: `/sandbox/${merchant.businessId}`,
        act: (page, { words }) => fillIn(page, words.code.label, '12345').then(() => send(page)),
        says: ({ words }) => words.faults.code,
      },
      pay: { ...pending, says: toPay(50_000) },
      'pay-empty': {
        ...pending,
        act: (page, locale) => pay(page, locale, { phone: '12', pin: '0' }),
        says: ({ words }) => words.faults.phone,
      },
      'pay-poor': {
        ...pending,
        act: (page, locale) => pay(page, locale, { ...payer, phone: '22000003' }),
        says: ({ words }) => words.notices.insufficient_funds,
      },
      'pay-total-changed': {
        path: `/p/${shortCode}`,
        act: async (page, locale) => {
          await changeRates()
          await pay(page, locale, payer)
        },
        says: ({ words }) => words.notices.totalChanged,
      },
      hostile: { ...(await order({ label: hostile, amount: 1_000_000_000 })), says: toPay(1_000_000_000) },
      amount: { ...open, says: ({ words }) => words.amount.title },
      'amount-wrong': { path: `${open.path}?amount=x`, says: ({ words }) => words.typedAmount.missing },
      'amount-chosen': { path: `${open.path}?amount=99999.99`, says: toPay(9_999_999) },
      qr: { path: `${pending.path}/qr`, says: ({ words, money }) => words.qr.title(money(withFee(50_000))) },
      'qr-open': { path: `${open.path}/qr`, says: ({ words }) => words.qr.titleOpen },
      waiting: { ...waiting, says: ({ words }) => words.panels.waiting[0] },
      paid: { ...(await order({ merchantReference: '1042' }, paid)), says: ({ words }) => words.panels.paid },
      'paid-before': {
        path: `${(await order({}, paid)).path}?sent=${'0'.repeat(24)}`,
        says: ({ words }) => words.panels.paidBefore[1],
      },
      refunded: { ...(await order({}, paid, ['refund', {}])), says: ({ words }) => words.panels.refunded },
      'refunded-in-part': {
        ...(await order({}, paid, ['refund', { amount: 20_000 }])),
        says: ({ words }) => words.panels.refundedInPart,
      },
      cancelled: { ...(await order({}, ['cancel', {}])), says: ({ words }) => words.panels.cancelled[0] },
      expired: { ...expired, says: ({ words }) => words.panels.expired[0] },
      failed: { ...(await order({ amount: 99_901 }, paid)), says: ({ words }) => words.panels.failed[0] },
      unavailable: {
        path: `/p/${(await createIntent(service, live)).shortCode}`,
        says: ({ words }) => words.panels.unavailable[0],
      },
      suspended: { path: `/p/${hidden.shortCode}`, says: ({ words }) => words.panels.unavailable[0] },
      'not-found': { path: '/p/222222', says: ({ words }) => words.notes.notFound[0] },
    }
  }

  /** Links and buttons too small to hit, except links within a sentence. */
  const tinyTargets = (page: Page): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll('a, button, input:not([type=hidden])')]
        .filter((each) => each.offsetParent !== null && !each.matches('.skip'))
        .filter((each) => each.getBoundingClientRect().height < ${target})
        .map((each) => 'too small: ' + each.outerHTML.slice(0, 120))`,
    )
  const inLanguage = (path: string, { code }: Locale) =>
    `${path}${path.includes('?') ? '&' : '?'}lang=${code}`
  async function reach(page: Page, { path, act, says }: Shown, locale: Locale): Promise<void> {
    await page.goto(inLanguage(path, locale))
    await act?.(page, locale)
    await page.getByText(says(locale), { exact: true }).first().waitFor()
    await page.locator(`html[lang=${locale.code}][dir=${locale.dir}]`).waitFor()
  }
  async function inspect(page: Page, name: string): Promise<string[]> {
    const wrong = (await findings(page)).map(({ impact, what }) => `${name}: ${impact}: ${what}`)
    return [...wrong, ...(await measure(page, name))]
  }
  async function measure(page: Page, name: string): Promise<string[]> {
    await picture(page, name)
    const wrong = await tinyTargets(page)
    if (await widerThanScreen(page)) wrong.push('wider than the screen')
    return wrong.map((each) => `${name}: ${each}`)
  }

  for (const locale of locales)
    it(`is accessible, fits every screen and loads nothing from other hosts (${locale.words.language})`, async () => {
      const page = await counter.openWindow({ size: 'phone', language: locale.code })
      const wrong: string[] = []
      for (const [name, shown] of Object.entries(pages)) {
        await page.setViewportSize(sizes.phone)
        await page.emulateMedia({ colorScheme: 'light' })
        await reach(page, shown, locale)
        // English pages share the French ones' markup and direction, and their words aren't longer.
        const isTranslation = locale.code === 'en'
        wrong.push(...(await (isTranslation ? measure : inspect)(page, `${name}-${locale.code}-phone`)))
        await page.setViewportSize(sizes.desktop)
        wrong.push(...(await measure(page, `${name}-${locale.code}-desktop`)))
        if (locale.code !== 'fr') continue
        // The width of a large screen at 400 % zoom.
        await page.setViewportSize({ width: 320, height: 256 })
        await page.emulateMedia({ colorScheme: 'dark' })
        wrong.push(...(await inspect(page, `${name}-fr-dark`)))
      }
      expect([...wrong, ...counter.faults()]).to.deep.equal([])
    })

  it("shows the merchant's label as plain text in its own text direction", async () => {
    const page = await counter.openWindow({ size: 'phone', language: 'en' })
    let alerts = 0
    page.on('dialog', (dialog) => {
      alerts += 1
      void dialog.dismiss()
    })
    await page.goto(String(pages.hostile?.path))
    expect(await page.locator('bdi').filter({ hasText: 'alert(1)' }).textContent()).to.equal(hostile)
    expect(alerts).to.equal(0)
    expect(await page.locator('h1').textContent()).to.equal('Pay 10,100,000.00\u00a0MRU')
  })

  it('prints a black-and-white receipt without buttons or links', async () => {
    for (const locale of locales) {
      const page = await counter.openWindow({ size: 'phone', language: locale.code })
      await page.addInitScript('window.print = () => { document.title = "printed" }')
      await reach(page, pages['refunded-in-part'] ?? expect.fail(), locale)
      await page.getByRole('button', { name: locale.words.print }).click()
      expect(await page.title()).to.equal('printed')
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      await picture(page, `printed-${locale.code}`)
      for (const hidden of await page.locator('a, button, nav').all())
        expect(await hidden.isVisible()).to.equal(false)
      expect(await page.evaluate('getComputedStyle(document.body).color')).to.equal('rgb(0, 0, 0)')
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(
        'rgb(255, 255, 255)',
      )
      expect(await textOf(page)).to.include(locale.words.facts.total)
    }
    const page = await counter.openWindow({ size: 'phone', language: 'en', scripts: false })
    await page.goto(String(pages.paid?.path))
    expect(await page.getByRole('button').count()).to.equal(0)
  })

  it('loads less than 30 KB on the first visit', async () => {
    for (const name of ['code', 'pay', 'amount', 'paid', 'qr']) {
      const page = await counter.openWindow({ size: 'phone', language: 'ar' })
      const sizesOf: Promise<number>[] = []
      page.on('requestfinished', (request) => {
        if (request.url().startsWith('data:')) return
        sizesOf.push(request.sizes().then((each) => each.responseHeadersSize + each.responseBodySize))
      })
      await page.goto(String(pages[name]?.path), { waitUntil: 'networkidle' })
      // A later poll would be measured while its page closes.
      page.removeAllListeners('requestfinished')
      const bytes = (await Promise.all(sizesOf)).reduce((sum, each) => sum + each, 0)
      expect(sizesOf, name).to.have.lengthOf.at.least(3)
      expect(bytes, name).to.be.within(5000, maxBytes)
    }
  })
})
