import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { addPerson, newName, password } from '../people/member.ts'
import { newBusiness } from '../portal/member-forms.ts'
import { subscribe } from '../support/actions.ts'
import { deadDelivery, shortRetryDelays } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { asMerchant, withService } from '../support/service.ts'
import { findings, openWindow, picture, startBrowser, widerThanScreen } from './browser.ts'

describe('The portal pages about webhooks in a browser', function () {
  this.timeout(180_000)
  const service = withService(shortRetryDelays)
  const server = withEndpointServer()
  let browser: Browser
  before(async () => void (browser = await startBrowser()))
  after(() => browser.close())

  async function signIn(page: Page, name: string, to: string) {
    await page.goto(`/portal/sign-in?to=${encodeURIComponent(to)}`)
    await page.locator('[name=name]').fill(name)
    await page.locator('[name=password]').fill(password)
    await page.locator('main button').click()
    await page.waitForURL(`**${to}`)
  }

  for (const size of ['phone', 'desktop'] as const)
    it(`have no barriers and fit the screen, in three languages (${size})`, async () => {
      server.respondWith((res) => void res.writeHead(500).end('<h1>Internal error</h1>'))
      const businessId = await newBusiness(service)
      const merchant = asMerchant(businessId, await service.key(businessId))
      const { id } = await subscribe(service, merchant, server.url, ['payment.created', 'order.new'])
      const dead = await deadDelivery(service, merchant)
      const name = newName()
      await addPerson(service, businessId, 'owner', name)
      const base = `/portal/${businessId}/test/webhooks`
      const { page, faults } = await openWindow(browser, service.origin, { size })
      await signIn(page, name, base)
      const inspect = async (label: string) => {
        expect(await widerThanScreen(page), label).to.equal(false)
        await picture(page, `webhooks-${size}-${label}`)
        expect(await findings(page), label).to.deep.equal([])
      }
      const endpoint = `${base}/endpoints/${id}`
      for (const lang of ['fr', 'ar', 'en'])
        for (const [label, path] of Object.entries({
          list: base,
          new: `${base}/new`,
          endpoint,
          change: `${endpoint}/change`,
          rotate: `${endpoint}/rotate`,
          test: `${endpoint}/test`,
          replays: `${endpoint}/replays`,
          delivery: `${base}/deliveries/${dead._id}`,
        })) {
          const response = await page.goto(`${path}?lang=${lang}`)
          expect(response?.status(), label).to.equal(200)
          await inspect(`${label}-${lang}`)
        }
      await page.goto(`${base}/new`)
      await page.locator('[name=url]').fill('http://shop')
      await page.locator('main form button').click()
      await page.getByRole('alert').waitFor()
      await inspect('new-wrong')
      await page.locator('[name=url]').fill('https://shop.example.com/webhooks')
      await page.locator('main form button').click()
      await page.getByText('Endpoint created').first().waitFor()
      await inspect('secret')
      await page.goto(`${endpoint}/test`)
      await page.locator('main form button').click()
      await page.getByText('The test event failed').waitFor()
      await inspect('test-failed')
      await page.goto(`${endpoint}/replays/new`)
      await page.locator('[name=from]').fill('2026-01-01')
      await page.locator('main form button').click()
      await page.getByRole('button', { name: 'Cancel the replay' }).waitFor()
      await inspect('replay')
      await page.getByRole('button', { name: 'Cancel the replay' }).click()
      await page.getByText('Cancelled on request').waitFor()
      await page.goto(`${base}/deliveries/${dead._id}`)
      await page.getByRole('button', { name: 'Send again now' }).click()
      await page.getByText('It is being sent again').waitFor()
      await inspect('sent-again')
      expect(faults).to.deep.equal([])
    })
})
