import type { Page } from 'playwright-core'
import type { LanguageCode } from '../../src/http/pages/locale.ts'
import { arabicTillTexts } from '../../src/till/words/ar.ts'
import { englishTillTexts } from '../../src/till/words/en.ts'
import { frenchTillTexts } from '../../src/till/words/fr.ts'
import { addPerson, newName, password } from '../people/member.ts'
import { deadlineMs } from '../support/machine.ts'
import { pay } from '../support/pay.ts'
import { newBusiness, referenceIn } from '../till/cashier.ts'
import { findings, picture, type Settings, sizes, widerThanScreen } from './browser.ts'
import { heading, send, withCounter } from './counter.ts'

const words = { fr: frenchTillTexts, ar: arabicTillTexts, en: englishTillTexts }
const languages = Object.keys(words) as LanguageCode[]
/** Without scripts, the page loads again every second, which takes a moment. */
const shownWithinMs = 2_000
const mm = 72 / 25.4

describe('A till in a browser', function () {
  this.timeout(120_000)
  const counter = withCounter()
  let businessId: string
  before(async () => void (businessId = await newBusiness(counter.service)))
  afterEach(() => expect(counter.faults()).to.deep.equal([]))

  async function openTill(settings: Omit<Settings, 'others'>, business = businessId, mode = 'test') {
    const name = newName()
    await addPerson(counter.service, business, 'cashier', name)
    const page = await counter.openWindow(settings)
    const base = `/till/${business}/${mode}`
    await page.goto(base)
    await page.locator('[name=name]').fill(name)
    await page.locator('[name=password]').fill(password)
    await send(page.locator('main') as never)
    await page.waitForURL(`**${base}?form=*`)
    return { page, base }
  }

  async function make(page: Page, amount: string, label: string) {
    await page.locator('[name=amount]').fill(amount)
    await page.locator('[name=label]').fill(label)
    const began = performance.now()
    await page.locator('main form button').click()
    await page.locator('.code').waitFor()
    return { reference: referenceIn(page.url()), ms: performance.now() - began }
  }

  async function payAndSee(page: Page, reference: string) {
    await pay(counter.service, reference)
    const began = performance.now()
    await page.locator('.receipt').waitFor()
    return performance.now() - began
  }

  for (const language of languages)
    for (const size of ['phone', 'desktop'] as const)
      it(`takes a payment, prints it and sums it up (${language}, ${size})`, async () => {
        const { states, day } = words[language]
        const { page, base } = await openTill({ size, language })
        const look = async (name: string) => {
          await picture(page, `till-${name}-${language}-${size}`)
          expect(await findings(page), name).to.deep.equal([])
          expect(await widerThanScreen(page), name).to.equal(false)
        }
        await look('form')
        await page.locator('main form button').click()
        await page.locator('[role=alert]').waitFor()
        await look('form-wrong')
        const label = 'Table 7 · شاي'
        const { reference } = await make(page, '1250,50', label)
        await look('code')
        await payAndSee(page, reference)
        await heading(page, states.paid)
        await look('receipt')
        const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
        const [, width = '', height = ''] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf) ?? []
        expect([Number(width), Number(height)].map((points) => Math.round(points / mm))).to.deep.equal([
          58, 160,
        ])
        expect(pdf.match(/\/Type \/Page\b/g), 'pages').to.have.length(1)
        await page.emulateMedia({ media: 'print' })
        await page.setViewportSize({ width: 204, height: 600 })
        await picture(page, `till-printed-${language}-${size}`)
        await page.emulateMedia({ media: null })
        await page.setViewportSize(sizes[size])
        await page.goto(`${base}/day`)
        await look('day')
        expect(await page.locator('main').textContent()).to.include(day.differs)
      })

  for (const scripts of [true, false])
    it(`shows "paid" within 2 seconds, and what was cancelled (scripts ${scripts ? 'on' : 'off'})`, async () => {
      const { page } = await openTill({ size: 'phone', scripts })
      for (let round = 0; round < 3; round += 1) {
        const { reference } = await make(page, '75', 'Thé')
        await page.waitForTimeout(300 * round)
        expect(await payAndSee(page, reference)).to.be.below(deadlineMs(shownWithinMs))
        await page.locator('.button').click()
      }
      const { reference } = await make(page, '75', 'Thé')
      await page.goBack()
      expect(await page.locator('[name=amount]').inputValue()).to.equal('75.00')
      const corrected = await make(page, '76', 'Thé')
      await page.locator('form[action$="/cancel"] button').click()
      await heading(page, englishTillTexts.states.cancelled)
      if (scripts) expect(await findings(page)).to.deep.equal([])
      await page.locator('.button').click()
      const other = await make(page, '80', '')
      expect(other.reference).to.not.equal(reference)
      const { deps } = counter.service
      const found = await deps.Intent.find({
        referenceNumber: { $in: [reference, corrected.reference, other.reference] },
      }).lean()
      expect(found.map(({ status }) => status).toSorted()).to.deep.equal([
        'CANCELLED',
        'CANCELLED',
        'PENDING',
      ])
    })

  it('says so while there is no connection', async () => {
    const { page } = await openTill({ size: 'phone' })
    const { reference } = await make(page, '75', 'Thé')
    const notice = page.locator('[data-offline]')
    expect(await notice.isVisible()).to.equal(false)
    await page.route('**/state', (route) => route.abort())
    await notice.waitFor()
    await page.unroute('**/state')
    await notice.waitFor({ state: 'hidden' })
    await payAndSee(page, reference)
  })

  it('shows real money differently', async () => {
    const approved = await newBusiness(counter.service, true)
    const { page, base } = await openTill({ size: 'phone' }, approved, 'live')
    await make(page, '1250', 'Riz')
    await picture(page, 'till-live-code')
    expect(await findings(page)).to.deep.equal([])
    expect(await page.locator('.practice, .test').count()).to.equal(0)
    await page.goto(base.replace('live', 'test'))
    expect(await page.locator('.practice, .test').count()).to.equal(2)
  })

  it('takes 20 payments, each with at most 3 taps and 1 s of waiting', async () => {
    const { page } = await openTill({ size: 'phone' })
    const waits: number[] = []
    for (let made = 0; made < 20; made += 1) {
      const { reference, ms } = await make(page, String(10 + made), '')
      await pay(counter.service, reference)
      await page.locator('.receipt').waitFor()
      const began = performance.now()
      await page.locator('.button').click()
      await page.locator('[name=amount]').waitFor()
      waits.push(ms + performance.now() - began)
    }
    expect(Math.max(...waits)).to.be.below(deadlineMs(1_000))
  })
})
