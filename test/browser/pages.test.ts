import type { Page } from 'playwright-core'
import { newId } from '../../src/platform/ids.ts'
import type { FileDifferenceKind, Reconciliation } from '../../src/reconciliation/reconciliation.ts'
import { fileDifferenceKinds } from '../../src/reconciliation/reconciliation.ts'
import { planReplay, startReplay } from '../../src/replays/start.ts'
import { issuePasswordLink } from '../../src/staff/change-account.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { addFactor, operator, signedIn } from '../admin/staff.ts'
import { createIntent } from '../support/actions.ts'
import { pay, refund } from '../support/pay.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { barriers, fillIn, picture, sizes, widerThanScreen } from './browser.ts'
import { type Stage, withStage } from './stage.ts'

const runId = newId()

const pages = {
  search: () => '/admin',
  payment: ({ referenceNumber }: Delivery) => `/admin/payments/${referenceNumber}`,
  delivery: ({ _id }: Delivery) => `/admin/deliveries/${_id}`,
  endpoint: ({ endpointId }: Delivery) => `/admin/endpoints/${endpointId}`,
  'endpoint-replay': ({ endpointId }: Delivery) =>
    `/admin/endpoints/${endpointId}/replay?from=2026-01-01&mode=test`,
  business: ({ businessId }: Delivery) => `/admin/businesses/${businessId}`,
  'business-suspend': ({ businessId }: Delivery) => `/admin/businesses/${businessId}/suspend`,
  'business-limits': ({ businessId }: Delivery) => `/admin/businesses/${businessId}/limits`,
  businesses: () => '/admin/businesses',
  staff: () => '/admin/staff',
  'staff-create': () => '/admin/staff/create',
  'staff-account': () => '/admin/staff/account/a-support',
  'staff-link': () => '/admin/staff/account/a-support/link',
  dead: () => '/admin/dead',
  audit: () => '/admin/audit',
  reconciliations: () => '/admin/reconciliations',
  reconciliation: () => `/admin/reconciliations/${runId}`,
  account: () => '/admin/account',
  'second-factor': () => '/admin/account/second-factor',
  'not-found': () => '/admin/nothing',
}

async function payAndRefund({ service, merchant }: Stage): Promise<Record<string, string>> {
  const wallet = scriptedWallet(service)
  const [paid, hold] = await Promise.all([
    createIntent(service, merchant, { amount: 1_250_000, label: 'Deux sacs de riz, livraison à la porte' }),
    createIntent(service, merchant),
  ])
  wallet.setOutcome(() => ({ outcome: 'refused', reason: 'wrong_pin' }))
  await pay(service, paid.referenceNumber)
  wallet.setOutcome(() => ({ outcome: 'declined', reason: 'insufficient_funds' }))
  await pay(service, paid.referenceNumber)
  wallet.setOutcome(() => ({ outcome: 'done' }))
  await pay(service, paid.referenceNumber)
  await refund(service, merchant, paid.referenceNumber, 20_000)
  wallet.setOutcome(() => ({ outcome: 'unknown', why: 'timeout' }))
  await refund(service, merchant, paid.referenceNumber, 1005)
  await pay(service, hold.referenceNumber)
  const pageOf = ({ referenceNumber }: typeof paid) => `/admin/payments/${referenceNumber}`
  const key = `/admin/keys/${merchant.keyId}`
  return { key, 'payment-refunded': pageOf(paid), 'payment-in-progress': pageOf(hold) }
}

function sampleRun({ referenceNumber: reference, businessId }: Delivery): Reconciliation {
  const valuesOf = (kind: FileDifferenceKind) =>
    kind === 'other day' ? { here: '2026-11-24', there: '2026-11-25' } : { here: null, there: 1_250_000 }
  const differences = fileDifferenceKinds.map((difference, index) => ({
    difference,
    ...valuesOf(difference),
    key: newId(),
    kind: 'payment' as const,
    line: index + 2,
    reference: index === 0 ? null : reference,
    businessId,
  }))
  const counts = Object.fromEntries(fileDifferenceKinds.map((kind) => [kind, 1])) as Record<
    FileDifferenceKind,
    number
  >
  return {
    _id: runId,
    day: '2026-11-25',
    wallet: null,
    fileName: 'extrait-du-portefeuille-2026-11-25.csv',
    sha256: 'c0ffee'.repeat(10).padEnd(64, '0'),
    at: new Date(),
    actor: operator.actor,
    counts: { rows: 1_000_000, recorded: 999_999, matched: 999_990, differences: counts },
    differences,
  }
}

async function startSampleReplay({ service: { deps } }: Stage, { endpointId }: Delivery): Promise<void> {
  const endpoint = await deps.Endpoint.findById(endpointId).orFail().lean()
  const request = { from: new Date(0), to: null, events: null, onlyUndelivered: false }
  await startReplay(deps, await planReplay(deps, endpoint, request), operator)
}

async function signInWithCode(
  { service }: Stage,
  page: Page,
  inspect: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const account = await signedIn(service, 'viewer')
  const { recoveryCodes } = await addFactor(service, account)
  const { link = '' } = (await issuePasswordLink(service.deps, account.name, operator)) ?? {}
  const password = 'trois petits chats gris'
  await page.goto(new URL(link).pathname)
  await inspect(page, 'set-password')
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('New password again').fill(password)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await fillIn(page, { name: account.name, password })
  await inspect(page, 'sign-in-code')
  await page.getByLabel('Code').fill(recoveryCodes[0] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: account.name }).click()
  await inspect(page, 'account-with-factor')
  await page.getByLabel('Code').fill(recoveryCodes[1] ?? '')
  await page.getByRole('button', { name: 'Renew the recovery codes' }).click()
  await inspect(page, 'recovery-codes')
}

describe('The staff interface in a browser', () => {
  const stage = withStage()
  let delivery: Delivery
  let paymentPages: Record<string, string>
  before(async () => {
    delivery = await stage.deadDelivery()
    paymentPages = await payAndRefund(stage)
    const faults = [`Line ${delivery._id} of seal 2 was changed.`]
    const check = { at: new Date(), seals: 56, lines: 55_234, faultCount: 1, faults }
    await stage.service.deps.AuditCheck.create({ _id: 'latest', ...check })
    await stage.service.deps.Reconciliation.create(sampleRun(delivery))
    await startSampleReplay(stage, delivery)
  })

  it('is accessible, fits every screen, runs no scripts and loads nothing from other hosts', async () => {
    const wrong: unknown[] = []
    const inspect = async (page: Page, name: string) => {
      for (const [size, viewport] of Object.entries(sizes)) {
        await page.setViewportSize(viewport)
        await picture(page, `${name}-${size}`)
        if (await widerThanScreen(page)) wrong.push(`${name} is wider than the screen (${size})`)
      }
      wrong.push(...(await barriers(page)).map((each) => `${name}: ${each}`))
      if ((await page.locator('script').count()) > 0) wrong.push(`${name} has a script`)
    }
    const visitor = await stage.visit('phone')
    await visitor.goto('/admin/sign-in')
    await inspect(visitor, 'sign-in')
    await signInWithCode(stage, visitor, inspect)
    const admin = await stage.enter('admin', '/admin', 'phone')
    const paths = Object.entries(pages).map(([name, path]) => [name, path(delivery)] as const)
    for (const [name, path] of [...paths, ...Object.entries(paymentPages)]) {
      await admin.goto(path)
      await inspect(admin, name)
    }
    await admin.goto(`/admin/businesses/${delivery.businessId}/limits`)
    await admin.getByLabel('Live payment codes').fill('none')
    await admin.getByLabel('Reason').fill(' ')
    await admin.getByRole('button', { name: 'Set limits' }).click()
    await admin.getByRole('alert').waitFor()
    await inspect(admin, 'business-limits-wrong')
    // Both payments above came from the demo wallet's phone number.
    for (const [name, query] of [
      ['search-nothing', 'unknown'],
      ['search-payer', '22000001'],
    ] as const) {
      await admin.goto('/admin')
      await admin.getByRole('searchbox').fill(query)
      await admin.keyboard.press('Enter')
      await admin.getByRole('status').waitFor()
      await inspect(admin, name)
    }
    await admin.getByText('Search by business, amount and day').click()
    await inspect(admin, 'search-amount')
    expect([...wrong, ...stage.faults()]).to.deep.equal([])
  })

  it('lets support staff find a payment and re-queue its delivery using only the keyboard', async () => {
    const dead = await stage.deadDelivery()
    const support = await stage.enter('support', '/admin', 'phone')
    const { keyboard } = support
    await support.getByLabel('Payment, phone number, order, id or business').focus()
    await keyboard.type(dead.referenceNumber)
    await keyboard.press('Enter')
    await support.waitForURL(`**/admin/payments/${dead.referenceNumber}`)
    stage.heal()
    await support.getByRole('button', { name: 'Re-queue' }).focus()
    await keyboard.press('Enter')
    await support.getByRole('status').getByText('Re-queued').waitFor()
    await stage.delivered(dead)
    await support.reload()
    await support.getByText('Delivered').first().waitFor()
    expect(await support.getByRole('button', { name: 'Re-queue' }).count()).to.equal(0)
    await support.goto(`/admin/audit?subject=${dead._id}`)
    const trail = await support.getByRole('main').textContent()
    expect(trail).to.include('a-support').and.include('delivery.requeued').and.include('DEAD')
  })
})
