import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { attempt, createIntent, post, relay, subscribe } from '../support/actions.ts'
import { type EndpointServer, withEndpointServer } from '../support/endpoint-server.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { withStaff } from './staff.ts'

const notice = 'Hidden: the response contains event data that support staff may not see.'

describe("A delivery's page", () => {
  const { service, merchant } = withServiceAndMerchant()
  const endpointServer = withEndpointServer()
  const staff = withStaff(service, 'support')
  before(async () => {
    await createProduct(service, merchant, { name: 'Tea', price: 1000, stock: 5 })
    await subscribe(service, merchant, endpointServer.url, ['order.new', 'payment.created'])
  })

  const pageOf = ({ _id }: Delivery) => staff.read(`/admin/deliveries/${_id}`)

  async function deliverOrder(respond: Parameters<EndpointServer['respondWith']>[0]) {
    endpointServer.respondWith(respond)
    const body = JSON.stringify({ customer: { name: 'Aicha', phone: '22113344' } })
    const placed = await post(service, merchant, '/store/orders/simulate', body)
    return attemptedFor(String(placed.body.data?.number))
  }

  async function attemptedFor(referenceNumber: string): Promise<Delivery> {
    await relay(service, merchant)
    const delivery = await service.deps.Delivery.findOne({ referenceNumber }).orFail().lean<Delivery>()
    await attempt(service.deps, delivery._id)
    return delivery
  }

  it('hides endpoint responses that echo the order', async () => {
    const delivery = await deliverOrder((res, _count, { body }) => void res.writeHead(500).end(body))
    const page = await pageOf(delivery)
    expect(page).to.include('status 500').and.include(notice)
    expect(page).not.to.match(/Aicha|22113344/)
  })

  it("hides endpoint responses that echo the payment's metadata", async () => {
    endpointServer.respondWith((res) => void res.writeHead(500).end('no client aicha'))
    const metadata = { client: 'Aicha' }
    const { referenceNumber } = await createIntent(service, merchant, { amount: 500, metadata })
    const page = await pageOf(await attemptedFor(referenceNumber))
    expect(page).to.include(notice).and.not.match(/aicha/i)
  })

  it('shows endpoint responses that contain only data shown on staff pages anyway', async () => {
    const delivery = await deliverOrder(
      (res, _count, { json }) => void res.writeHead(500).end(`${String(json.data.number)}: Tea is unknown`),
    )
    const page = await pageOf(delivery)
    expect(page).to.include(`${delivery.referenceNumber}: Tea is unknown`).and.not.include(notice)
  })
})
