import { createHook } from 'node:async_hooks'
import { isIP } from 'node:net'
import { expect } from 'chai'
import { refusedAnswers } from './answers.ts'
import { refusedHosts } from './hosts.ts'
import { answering, attemptAt, body, headers, hostName, owner, sender, stopAll } from './sending.ts'

/** Counts all connections that this process begins. */
let begun = 0
const watch = createHook({
  init: (_id, type) => {
    if (type === 'TCPCONNECTWRAP') begun += 1
  },
})

describe('the webhook sender, with every form of an address', () => {
  before(() => watch.enable())
  after(() => watch.disable())
  beforeEach(() => {
    begun = 0
  })
  afterEach(stopAll)

  /** The `urls` for which an attempt did not refuse the address, while names resolve to `answers`. */
  async function notRefused(urls: string[], answers: string[]): Promise<string[]> {
    const made = sender([], {
      resolve: async () => answers.map((address) => ({ address, family: isIP(address) })),
    })
    const attempts = await Promise.all(urls.map((url) => made.send({ url, headers, body, owner })))
    return urls.filter((_, at) => {
      const attempt = attempts[at]
      return attempt?.outcome !== 'unreachable' || attempt.stage !== 'address'
    })
  }

  /** DNS64 forms of public addresses. Ignored beside a public address (send-address.test.ts), refused alone. */
  const synthesised = ['64:ff9b::8.8.8.8', '64:ff9b::808:808', '64:ff9b::1.1.1.1', '64:ff9b::101:101']
  const others = refusedAnswers.filter((form) => !synthesised.includes(form))

  const places: [place: string, answers: (form: string) => string[]][] = [
    ['first', (form) => [form, '93.184.216.34']],
    ['second', (form) => ['93.184.216.34', form]],
    ['only', (form) => [form]],
    ['last of many', (form) => [...Array.from({ length: 9 }, (_, at) => `93.184.216.${at}`), form]],
  ]
  for (const [place, answers] of places) {
    const forms = place === 'only' ? refusedAnswers : others
    it(`does not connect to a name that has one of ${forms.length} forms as its ${place} address`, async () => {
      const url = `https://${hostName}:8443/`
      const wrong = await Promise.all(forms.map((form) => notRefused([url], answers(form))))
      expect(forms.filter((_, at) => wrong[at]?.length !== 0)).to.deep.equal([])
      expect(begun).to.equal(0)
    })
  }

  it(`connects to none of ${refusedHosts.length} forbidden hosts, wherever they lead`, async () => {
    const urls = refusedHosts.map((host) => `https://${host}/hooks`)
    expect(await notRefused(urls, ['93.184.216.34'])).to.deep.equal([])
    expect(begun).to.equal(0)
  })

  it('does connect to allowed addresses, which the test can see', async () => {
    await attemptAt(await answering(), {})
    expect(begun).to.equal(1)
  })
})
