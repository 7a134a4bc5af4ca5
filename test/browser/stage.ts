import type { StaffRole } from '../../src/staff/permissions.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { openAdmin } from '../admin/admin.ts'
import { createIntent, storedDelivery, subscribe } from '../support/actions.ts'
import { startEndpointServer } from '../support/endpoint-server.ts'
import { type Merchant, openService, type Service } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withOpened } from '../support/with.ts'
import { type Account, openWindow, signIn, type sizes, startBrowser, type UserWindow } from './browser.ts'

export type Stage = Awaited<ReturnType<typeof openStage>>
export const withStage = (): Stage => withOpened(openStage, (stage) => stage.close())

async function openStage() {
  const [endpointServer, browser, service] = await Promise.all([
    startEndpointServer(),
    startBrowser(),
    openService({ WEBHOOK_RETRY_SECONDS: '0.01,0.01,0.01,0.01,0.01,0.01,0.01' }),
  ])
  const merchant = await service.merchant()
  await subscribe(service, merchant, endpointServer.url, ['payment.created'])
  service.startWorkers()
  const accounts = await hireAll(service)
  const windows: UserWindow[] = []
  const visit = async (size: keyof typeof sizes) => {
    const opened = await openWindow(browser, service.origin, { size })
    windows.push(opened)
    return opened.page
  }
  return {
    service,
    endpointServer,
    merchant,
    accounts,
    visit,
    async enter(role: StaffRole, to: string, size: keyof typeof sizes) {
      const page = await visit(size)
      await signIn(page, accounts[role], to)
      return page
    },
    /** Returns a delivery whose 8 attempts have failed. The endpoint still responds with 500. */
    deadDelivery() {
      endpointServer.respondWith((res) => void res.writeHead(500).end('not today'))
      return makeDead(service, merchant)
    },
    heal: () => endpointServer.respondWith((res) => void res.end('thanks')),
    delivered: (delivery: Delivery) =>
      waitFor('delivered', async () => (await storedDelivery(service, delivery)).status === 'DELIVERED'),
    faults: () => windows.flatMap(({ faults }) => faults),
    async close() {
      await browser.close()
      await service.close()
      await endpointServer.close()
    },
  }
}

async function hireAll(service: Service) {
  const { done } = openAdmin(service)
  const hire = async (role: StaffRole): Promise<Account> => {
    const { name = '', password = '' } = await done('staff', 'create', '--name', `a-${role}`, '--role', role)
    return { name, password }
  }
  const [viewer, support, admin] = await Promise.all([hire('viewer'), hire('support'), hire('admin')])
  return { viewer, support, admin }
}

async function makeDead(service: Service, merchant: Merchant): Promise<Delivery> {
  const { referenceNumber } = await createIntent(service, merchant)
  return waitFor('a dead delivery', () =>
    service.deps.Delivery.findOne({ referenceNumber, status: 'DEAD' }).lean<Delivery>(),
  )
}
