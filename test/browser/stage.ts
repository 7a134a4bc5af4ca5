import type { Browser, Page } from 'playwright-core'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { openAdmin } from '../admin/admin.ts'
import { createIntent, subscribe } from '../support/actions.ts'
import { type EndpointServer, startEndpointServer } from '../support/endpoint-server.ts'
import { type Merchant, openService, type Service } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Account, type Person, signIn, sitDown, type sizes, startBrowser } from './browser.ts'

/** A whole service with its workers, its endpoint, and a browser in front of it. */
export interface Stage {
  service: Service
  endpointServer: EndpointServer
  merchant: Merchant
  /** A delivery whose 8 attempts failed; the endpoint goes on refusing. */
  deadDelivery(): Promise<Delivery>
  /** From now on the endpoint accepts. */
  heal(): void
  /** Somebody with an account of this role, signed in and on this page. */
  enter(role: 'viewer' | 'support', to: string, size: keyof typeof sizes): Promise<Page>
  accounts: Record<'viewer' | 'support', Account>
  /** Somebody who is not signed in. */
  visit(size: keyof typeof sizes): Promise<Page>
  /** What went wrong in any of the browsers (browser.ts). */
  faults(): string[]
  close(): Promise<void>
}

export async function openStage(): Promise<Stage> {
  const [endpointServer, browser, service] = await Promise.all([
    startEndpointServer(),
    startBrowser(),
    openService({ WEBHOOK_RETRY_SECONDS: '0.01,0.01,0.01,0.01,0.01,0.01,0.01' }),
  ])
  const merchant = await service.merchant()
  await subscribe(service, merchant, endpointServer.url, ['payment.created'])
  service.startWorkers()
  const accounts = await hireBoth(service)
  const people: Person[] = []
  const visit = async (size: keyof typeof sizes) => {
    const person = await sitDown(browser, service.origin, {
      size,
      scripts: true,
      language: 'en-US',
      others: [],
    })
    people.push(person)
    return person.page
  }
  return {
    service,
    endpointServer,
    merchant,
    accounts,
    visit,
    async enter(role, to, size) {
      const page = await visit(size)
      await signIn(page, accounts[role], to)
      return page
    },
    deadDelivery() {
      endpointServer.respondWith((res) => void res.writeHead(500).end('not today'))
      return makeDead(service, merchant)
    },
    heal: () => endpointServer.respondWith((res) => void res.end('thanks')),
    faults: () => people.flatMap(({ faults }) => faults),
    close: () => closeAll(browser, service, endpointServer),
  }
}

/** As an operator makes them. */
async function hireBoth(service: Service): Promise<Stage['accounts']> {
  const { done } = openAdmin(service)
  const hire = async (role: string): Promise<Account> => {
    const { name = '', password = '' } = await done('staff', 'create', '--name', `a-${role}`, '--role', role)
    return { name, password }
  }
  const [viewer, support] = await Promise.all([hire('viewer'), hire('support')])
  return { viewer, support }
}

async function makeDead(service: Service, merchant: Merchant): Promise<Delivery> {
  const { referenceNumber } = await createIntent(service, merchant)
  return waitFor('a dead delivery', () =>
    service.deps.Delivery.findOne({ referenceNumber, status: 'DEAD' }).lean<Delivery>(),
  )
}

async function closeAll(browser: Browser, service: Service, endpointServer: EndpointServer): Promise<void> {
  await browser.close()
  await service.close()
  await endpointServer.close()
}
