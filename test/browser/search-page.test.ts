import { expect } from 'chai'
import type { Page } from 'playwright-core'

import { fillIn, picture } from './browser.ts'
import { withStage } from './stage.ts'

describe('The staff search in a browser', function () {
  this.timeout(60_000)
  const stage = withStage()
  let support: Page
  let viewer: Page
  before(async () => {
    ;[support, viewer] = await Promise.all([
      stage.enter('support', '/admin', 'phone'),
      stage.enter('viewer', '/admin', 'desktop'),
    ])
  })
  afterEach(() => expect(stage.faults()).to.deep.equal([]))

  it('lets support staff find a payment and re-queue its delivery with the keyboard alone', async () => {
    const delivery = await stage.deadDelivery()
    const { keyboard } = support
    await support.goto('/admin')
    await support.getByLabel('Payment, phone number, order, id or business').focus()
    await keyboard.type(delivery.referenceNumber)
    await keyboard.press('Enter')
    await support.waitForURL(`**/admin/payments/${delivery.referenceNumber}`)
    await picture(support, 'payment-dead-phone')
    stage.heal()
    await support.getByRole('button', { name: 'Re-queue' }).focus()
    await keyboard.press('Enter')
    await support.getByRole('status').getByText('Re-queued').waitFor()
    await stage.delivered(delivery)
    await support.reload()
    await support.getByText('Delivered').first().waitFor()
    expect(await support.getByRole('button', { name: 'Re-queue' }).count()).to.equal(0)
    await picture(support, 'payment-delivered-phone')
    await support.goto(`/admin/audit?subject=${delivery._id}`)
    const trail = await support.getByRole('main').textContent()
    expect(trail).to.include('a-support').and.include('delivery.requeued').and.include('DEAD')
  })

  it('lets support staff re-queue all dead deliveries of one endpoint', async () => {
    const deliveries = [await stage.deadDelivery(), await stage.deadDelivery()]
    await support.goto('/admin/dead')
    stage.heal()
    await support.getByRole('link', { name: /^Re-queue all \d+/ }).click()
    await support.getByText('Dead deliveries from').waitFor()
    await picture(support, 'requeue-all-phone')
    await support.getByLabel('Reason (optional)').fill('The merchant has repaired the server.')
    await support.getByRole('button', { name: 'Re-queue all' }).click()
    await support.getByRole('status').getByText('Re-queued: 2 deliveries').waitFor()
    for (const delivery of deliveries) await stage.delivered(delivery)
  })

  it('offers a viewer every page, but no re-queue action', async () => {
    const delivery = await stage.deadDelivery()
    for (const path of [
      `/admin/payments/${delivery.referenceNumber}`,
      `/admin/deliveries/${delivery._id}`,
      `/admin/endpoints/${delivery.endpointId}`,
      `/admin/businesses/${delivery.businessId}`,
      '/admin/dead',
    ]) {
      const response = await viewer.goto(path)
      const main = viewer.getByRole('main')
      const texts = [main.getByRole('button'), main.locator('a.button')].map((each) => each.allTextContents())
      const actions = (await Promise.all(texts)).flat().filter((words) => /re-queue/i.test(words))
      expect([path, response?.status(), actions]).to.deep.equal([path, 200, []])
    }
  })

  it('returns to the requested page after signing out and in again', async () => {
    await viewer.goto('/admin/dead')
    await viewer.getByRole('button', { name: 'Sign out' }).click()
    await viewer.waitForURL('**/admin/sign-in')
    await viewer.goBack()
    await viewer.waitForURL('**/admin/sign-in?to=*')
    await fillIn(viewer, stage.accounts.viewer)
    await viewer.waitForURL('**/admin/dead')
    await viewer.getByRole('button', { name: 'Sign out' }).waitFor()
  })
})
