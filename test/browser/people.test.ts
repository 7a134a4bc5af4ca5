import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { createBusiness } from '../../src/businesses/change-business.ts'
import { resetPerson } from '../../src/people/change-people.ts'
import { invitePerson } from '../../src/people/invite.ts'
import { operator } from '../admin/staff.ts'
import { addPerson, newName, password } from '../people/member.ts'
import { withService } from '../support/service.ts'
import { findings, openWindow, picture, startBrowser, type UserWindow, widerThanScreen } from './browser.ts'

describe('The account pages of people in a browser', function () {
  this.timeout(120_000)
  const service = withService()
  let browser: Browser
  const windows: UserWindow[] = []
  before(async () => void (browser = await startBrowser()))
  after(() => browser.close())

  const pathOf = (link: string) => new URL(link).pathname
  const newBusiness = async (name: string) =>
    (await createBusiness(service.deps, { name, liveApproved: false }, operator))._id
  async function visit(size: 'phone' | 'desktop', language = 'en-US', scripts = true): Promise<Page> {
    const opened = await openWindow(browser, service.origin, { size, language, scripts })
    windows.push(opened)
    return opened.page
  }
  async function enter(page: Page, name: string) {
    await page.goto('/portal/sign-in?lang=en')
    await page.locator('[name=name]').fill(name)
    await page.locator('[name=password]').fill(password)
    await page.locator('main button').click()
    await page.waitForURL((url) => !url.pathname.includes('sign-in'))
  }

  for (const size of ['phone', 'desktop'] as const)
    it(`have no barriers and fit the screen, in three languages (${size})`, async () => {
      const [first, second] = [await newBusiness('Épicerie Tévragh-Zeina'), await newBusiness('مخبزة الأمل')]
      const name = newName()
      await addPerson(service, first, 'owner', name)
      const invited = await invitePerson(
        service.deps,
        { businessId: second, role: 'owner', name: newName() },
        operator,
      )
      await addPerson(service, first, 'owner')
      const reset = await resetPerson(service.deps, await addPerson(service, first, 'owner'), operator)
      const signedOut = [
        '/portal/sign-in',
        pathOf(invited.link),
        pathOf(reset?.link ?? ''),
        '/portal/set-password/x',
      ]
      const signedIn = [
        '/portal/account',
        '/portal/account/second-factor',
        '/portal/confirm',
        '/portal/nothing',
      ]
      const page = await visit(size)
      const check = async (path: string) => {
        for (const lang of ['fr', 'ar', 'en']) {
          await page.goto(`${path}?lang=${lang}`)
          const label = `${size} ${path} ${lang}`
          expect(await page.locator('html').getAttribute('lang'), label).to.equal(lang)
          expect(await widerThanScreen(page), label).to.equal(false)
          await picture(page, `people-${size}-${path.replaceAll('/', '_').slice(0, 30)}-${lang}`)
          expect(await findings(page), label).to.deep.equal([])
        }
      }
      for (const path of signedOut) await check(path)
      await enter(page, name)
      for (const path of signedIn) await check(path)
      expect(windows.flatMap(({ faults }) => faults)).to.deep.equal([])
    })

  it('keep the language that a person chose, and never show an invitation in a Referer', async () => {
    const name = newName()
    const { link } = await invitePerson(
      service.deps,
      { businessId: await newBusiness('Épicerie'), role: 'owner', name },
      operator,
    )
    const page = await visit('phone', 'fr-FR', false)
    const referrers = new Set<string | undefined>()
    page.on('request', (request) => {
      void request.allHeaders().then(({ referer }) => referrers.add(referer))
    })
    await page.goto(pathOf(link))
    await page.getByRole('link', { name: 'العربية' }).click()
    await page.locator('[name=password]').fill(password)
    await page.locator('[name=again]').fill(password)
    await page.locator('main button').click()
    await page.waitForURL('**/portal/*/test/**')
    expect(await page.locator('html').getAttribute('dir')).to.equal('rtl')
    await page.getByRole('button', { name: 'تسجيل الخروج' }).click()
    await page.waitForURL('**/portal/sign-in')
    expect([...referrers]).to.have.members([undefined, `${service.origin}/`])
  })
})
