import { createHook } from 'node:async_hooks'
import { expect } from 'chai'
import { refusedAddresses } from './addresses.ts'
import { refusedHosts } from './hosts.ts'
import { attemptAt, hostName, okEndpoint, resolvingTo, sender, stopAll } from './sending.ts'

let begun = 0
const watch = createHook({
  init: (_id, type) => {
    if (type === 'TCPCONNECTWRAP') begun += 1
  },
})

describe('The webhook sender with addresses in every notation', () => {
  before(() => watch.enable())
  after(() => watch.disable())
  beforeEach(() => {
    begun = 0
  })
  afterEach(stopAll)

  /** The `urls` whose address an attempt did not refuse, while names resolve to `addresses`. */
  async function notRefused(urls: string[], addresses: string[]): Promise<string[]> {
    const made = sender([], { resolve: resolvingTo(addresses) })
    const attempts = await Promise.all(urls.map((url) => made.post(url)))
    return urls.filter((_, at) => attempts[at]?.stage !== 'address')
  }

  /** DNS64 forms of public addresses. Ignored beside a public address (send-address.test.ts), refused alone. */
  const synthesised = ['64:ff9b::8.8.8.8', '64:ff9b::808:808', '64:ff9b::1.1.1.1', '64:ff9b::101:101']
  /** Each form is refused when it is the only one. Beside public addresses, some of every kind will do. */
  const others = refusedAddresses.filter((form, at) => at % 10 === 0 && !synthesised.includes(form))

  const positions: [position: string, addresses: (form: string) => string[]][] = [
    ['first', (form) => [form, '93.184.216.34']],
    ['second', (form) => ['93.184.216.34', form]],
    ['only', (form) => [form]],
    ['last of many', (form) => [...Array.from({ length: 9 }, (_, at) => `93.184.216.${at}`), form]],
  ]
  for (const [position, addressesWith] of positions) {
    const forms = position === 'only' ? refusedAddresses : others
    it(`never connects if a name resolves to a forbidden address in any of ${forms.length} notations (position: ${position})`, async () => {
      const url = `https://${hostName}:8443/`
      const wrong = await Promise.all(forms.map((form) => notRefused([url], addressesWith(form))))
      expect(forms.filter((_, at) => wrong[at]?.length !== 0)).to.deep.equal([])
      expect(begun).to.equal(0)
    })
  }

  it(`never connects to any of ${refusedHosts.length} forbidden hosts, even if the host resolves to a public address`, async () => {
    const urls = refusedHosts.map((host) => `https://${host}/hooks`)
    expect(await notRefused(urls, ['93.184.216.34'])).to.deep.equal([])
    expect(begun).to.equal(0)
  })

  it("does connect to an allowed address, so these tests can't pass vacuously", async () => {
    await attemptAt(await okEndpoint(), {})
    expect(begun).to.equal(1)
  })
})
