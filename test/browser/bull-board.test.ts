import type { Page } from 'playwright-core'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { picture } from './browser.ts'
import { withStage } from './stage.ts'

const failed = '/admin/queues/queue/webhook-delivery?status=failed'
const cardOf = (page: Page, { referenceNumber }: Delivery) =>
  page.locator('[class^="card-"]').filter({ hasText: referenceNumber })

const visibleButtons = async (page: Page, within: string): Promise<string[]> => {
  const buttons = await page.locator(`${within} button:visible, ${within} [role="menuitem"]:visible`).all()
  return Promise.all(buttons.map(async (button) => (await button.textContent()) ?? ''))
}

describe('Bull Board in a browser', () => {
  const stage = withStage()
  let support: Page
  let viewer: Page
  before(async () => {
    ;[support, viewer] = await Promise.all([
      stage.enter('support', '/admin/queues', 'desktop'),
      stage.enter('viewer', failed, 'desktop'),
    ])
  })
  afterEach(() => expect(stage.faults()).to.deep.equal([]))

  it('lets support staff find a dead delivery, retry it and see that it succeeded', async () => {
    const delivery = await stage.deadDelivery()
    const page = support
    await page.getByRole('link', { name: 'webhook-delivery', exact: true }).first().click()
    await page.getByRole('link', { name: /^failed/i }).click()
    const card = cardOf(page, delivery)
    await card.getByText('attempt 8: status 500').waitFor()
    await picture(page, 'board-failed-desktop')
    stage.heal()
    await card.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await card.waitFor({ state: 'detached' })
    await stage.delivered(delivery)
  })

  it('offers support staff only Retry and Retry all', async () => {
    await stage.deadDelivery()
    const page = support
    await page.goto(failed)
    await page.getByRole('button', { name: 'Retry', exact: true }).first().waitFor()
    const inCard = await visibleButtons(page, '[class^="jobActions-"]')
    expect(new Set(inCard)).to.deep.equal(new Set(['']))
    // The name must not come from the stylesheet, because some screen readers skip its text.
    const named = page.locator('[class^="jobActions-"] button:visible[aria-label="Retry"]')
    expect(await named.count()).to.equal(inCard.length)
    expect(inCard).to.have.length(await page.locator('[class^="card-"]').count())
    expect(await visibleButtons(page, '[class^="queueActions-"]')).to.deep.equal(['Retry all'])
    await page.locator('.lucide-info').first().click()
    await page.getByRole('dialog').getByText('Overview').waitFor()
    expect(await page.getByRole('dialog').locator('dl button:visible').count()).to.equal(0)
    await page.goto('/admin/queues')
    await page.getByText('webhook-delivery').last().waitFor()
    expect(await page.locator('[class^="card-"] [aria-haspopup="menu"]:visible').count()).to.equal(0)
    await page
      .locator('button:visible')
      .filter({ has: page.locator('.lucide-ellipsis-vertical') })
      .click()
    await page.getByRole('menuitem').first().waitFor({ state: 'attached' })
    const offered = await visibleButtons(page, '[role="menu"]')
    const actions = offered.filter((words) => !/^(Sort by|View)/.test(words))
    expect(actions.join()).to.match(/^Retry \d+ failed jobs/)
    await picture(page, 'board-overview-desktop')
  })

  it('offers no action to a viewer', async () => {
    const delivery = await stage.deadDelivery()
    const page = viewer
    await page.goto(failed)
    const card = cardOf(page, delivery)
    await card.waitFor()
    const expectNoAction = async () => {
      expect(await page.locator('[class^="jobActions-"], [class^="queueActions-"]').count()).to.equal(0)
      const buttons = page.getByRole('button', { name: /retry|clean|promote|empty|pause|add/i })
      expect(await buttons.count()).to.equal(0)
    }
    await expectNoAction()
    await card.getByRole('link', { name: delivery._id }).click()
    await page.waitForURL(`**/webhook-delivery/${delivery._id}-r0*`)
    await card.waitFor()
    await expectNoAction()
  })

  it('reports that a delivery has succeeded in the meantime, and sends nothing', async () => {
    const delivery = await stage.deadDelivery()
    const page = await stage.enter('support', failed, 'phone')
    const card = cardOf(page, delivery)
    await card.waitFor()
    await picture(page, 'board-failed-phone')
    const sent = stage.endpointServer.received.length
    const delivered = { status: 'DELIVERED', deadAt: null, deliveredAt: new Date() } as const
    await stage.service.deps.Delivery.updateOne({ _id: delivery._id }, { $set: delivered })
    await card.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Already delivered').waitFor()
    await picture(page, 'board-delivered-meanwhile-phone')
    await card.waitFor({ state: 'detached' })
    expect(stage.endpointServer.received).to.have.length(sent)
  })

  it('links back to the other staff pages', async () => {
    await viewer.goto('/admin/queues')
    await viewer.locator('header [class^="actions-"] [aria-haspopup="menu"]').click()
    await viewer.getByRole('menuitem', { name: 'Dead deliveries' }).click()
    await viewer.waitForURL('**/admin/dead')
  })
})
