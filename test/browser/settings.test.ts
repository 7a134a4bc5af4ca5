import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { changeBusiness, createBusiness } from '../../src/businesses/change-business.ts'
import { rotateApiKey, setKeyStatus } from '../../src/businesses/change-key.ts'
import { setPersonDisabled } from '../../src/people/change-people.ts'
import { invitePerson } from '../../src/people/invite.ts'
import { operator } from '../admin/staff.ts'
import { addPerson, newName, password } from '../people/member.ts'
import { withService } from '../support/service.ts'
import { findings, openWindow, picture, startBrowser, widerThanScreen } from './browser.ts'

describe('The portal pages about keys, people, limits and what happened', function () {
  this.timeout(180_000)
  const service = withService({ AUDIT_LINES_PER_DAY: '30', SANDBOX_INTENTS_PER_DAY: '1000' })
  let browser: Browser
  before(async () => void (browser = await startBrowser()))
  after(() => browser.close())

  async function openPortal() {
    const { deps } = service
    const business = await createBusiness(
      deps,
      { name: 'Épicerie Tévragh-Zeina', liveApproved: false },
      operator,
    )
    const businessId = business._id
    const name = newName()
    await addPerson(service, businessId, 'owner', name)
    const cashier = await addPerson(service, businessId, 'cashier', newName())
    await setPersonDisabled(deps, cashier, true, operator)
    const invited = { businessId, role: 'accountant', name: 'comptable@exemple.mr' } as const
    const { id: invitation } = await invitePerson(deps, invited, operator)
    const limits = { perSecond: 50, sandboxBytesPerDay: 12_345_678 }
    await changeBusiness(deps, businessId, { limits }, { ...operator, act: 'business.limited' })
    const { id: key } = await service.key(businessId, { ipAllowlist: ['192.0.2.0/24', '2001:db8::7'] })
    await rotateApiKey(deps, key, 3600, operator)
    const { id: revoked } = await service.key(businessId, {
      kind: 'publishable',
      scopes: ['store.products:read'],
    })
    await setKeyStatus(deps, revoked, 'revoked', operator)
    const {
      deps: { counters },
    } = service
    await counters.spend({ name: 'sandboxAuditLines', owner: businessId, limit: 30 }, 25)
    await counters.spend({ name: 'sandboxCreates', owner: businessId, limit: 1000 }, 1000)
    return { name, key, invitation, cashier, businessId, base: `/portal/${businessId}/test` }
  }

  async function signIn(page: Page, name: string, to: string) {
    await page.goto(`/portal/sign-in?to=${encodeURIComponent(to)}`)
    await page.locator('[name=name]').fill(name)
    await page.locator('[name=password]').fill(password)
    await page.locator('main button').click()
    await page.waitForURL(`**${to}`)
  }

  for (const size of ['phone', 'desktop'] as const)
    it(`have no barriers and fit the screen, in three languages (${size})`, async () => {
      const { name, key, invitation, cashier, base } = await openPortal()
      const opened = await openWindow(browser, service.origin, { size })
      const { page } = opened
      await signIn(page, name, `${base}/limits`)
      const inspect = async (label: string) => {
        expect(await widerThanScreen(page), label).to.equal(false)
        await picture(page, `settings-${size}-${label}`)
        expect(await findings(page), label).to.deep.equal([])
      }
      for (const lang of ['fr', 'ar', 'en'])
        for (const [label, path] of Object.entries({
          keys: '/keys',
          'new-key': '/keys/new/secret',
          rotate: `/keys/${key}/rotate`,
          revoke: `/keys/${key}/revoke`,
          people: '/people',
          invite: '/people/invite',
          cancel: `/people/invitations/${invitation}/cancel`,
          role: `/people/${cashier}/role`,
          remove: `/people/${cashier}/remove`,
          limits: '/limits',
          activity: '/activity',
        })) {
          const response = await page.goto(`${base}${path}?lang=${lang}`)
          expect(response?.status(), label).to.equal(200)
          expect(await page.locator('html').getAttribute('lang')).to.equal(lang)
          await inspect(`${label}-${lang}`)
        }
      await page.goto(`${base}/people/invite`)
      await page.locator('main button').click()
      await page.getByRole('alert').waitFor()
      await inspect('invite-wrong')
      await page.locator('[name=name]').fill('a@b.example')
      await page.locator('main form button').click()
      await page.getByRole('status').waitFor()
      await inspect('link')
      await page.goto(`${base}/keys/new/publishable`)
      await page.locator('main form button').click()
      await page.getByRole('status').waitFor()
      await inspect('made')
      await page.goto(`${base}/keys`)
      await page.getByRole('link', { name: 'Ask for live access' }).click()
      await inspect('ask')
      await page.locator('main form button').click()
      await page.getByText('Live access was requested').waitFor()
      await inspect('asked')
      expect(opened.faults).to.deep.equal([])
    })
})
