import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { barriers, picture, sizes } from './browser.ts'
import { openStage, type Stage } from './stage.ts'

/** Every page of ours, by the name of its picture. */
const pages = {
  search: () => '/admin',
  'search-nothing': () => '/admin?q=nobody',
  payment: ({ referenceNumber }: Delivery) => `/admin/payments/${referenceNumber}`,
  delivery: ({ _id }: Delivery) => `/admin/deliveries/${_id}`,
  endpoint: ({ endpointId }: Delivery) => `/admin/endpoints/${endpointId}`,
  business: ({ businessId }: Delivery) => `/admin/businesses/${businessId}`,
  dead: () => '/admin/dead',
  audit: () => '/admin/audit',
  'not-found': () => '/admin/nothing',
}

describe('The staff pages', function () {
  this.timeout(60_000)
  let stage: Stage
  let delivery: Delivery
  before(async () => {
    stage = await openStage()
    delivery = await stage.deadDelivery()
  })
  after(() => stage.close())

  const widerThanScreen = (page: Page): Promise<boolean> =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  for (const size of Object.keys(sizes) as (keyof typeof sizes)[])
    it(`fit on a ${size} screen, run no script, load nothing from elsewhere and bar nobody`, async () => {
      const wrong: unknown[] = []
      const look = async (page: Page, name: string) => {
        await picture(page, `${name}-${size}`)
        if (await widerThanScreen(page)) wrong.push(`${name} is wider than the screen`)
        wrong.push(...(await barriers(page)).map((each) => `${name}: ${each}`))
        if ((await page.locator('script').count()) > 0) wrong.push(`${name} has a script`)
      }
      const nobody = await stage.visit(size)
      await nobody.goto('/admin/sign-in')
      await look(nobody, 'sign-in')
      const support = await stage.enter('support', '/admin', size)
      for (const [name, path] of Object.entries(pages)) {
        await support.goto(path(delivery))
        await look(support, name)
      }
      expect([...wrong, ...stage.faults()]).to.deep.equal([])
    })
})
