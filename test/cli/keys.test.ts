import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { readKey } from '../../cli/read-key.ts'
import { withMerchant, withService } from '../support/service.ts'
import { keyOf, withCli } from './start-cli.ts'

describe("The merchants' command line", () => {
  const service = withService()
  const [merchant, cli] = [withMerchant(service), withCli()]
  const restricted = withMerchant(service, { scopes: ['payments.intents:write'] })

  it('exits with code 1 and a remedy if the key is missing, wrong or passed as an argument', async () => {
    const { PAYMENTS_API_URL } = keyOf(merchant, service.origin)
    const unknownKey = 'sk_test_00000000000000000000000000000000000000'
    const runs = [
      { words: ['listen'], remedy: 'Set PAYMENTS_API_KEY to a secret test key' },
      { words: ['listen'], key: unknownKey, remedy: 'Check PAYMENTS_API_KEY' },
      { words: ['listen'], key: 'sk_live_1', remedy: 'This is a live key' },
      { words: ['listen'], key: 'pk_test_1', remedy: 'begins with sk_test_' },
      { words: ['listen'], key: restricted.key, remedy: 'Use a key with more scopes' },
      { words: ['listen', '--key', merchant.key], remedy: 'in your shell history' },
      { words: ['trigger', 'payment.created', '--api-key=1'], remedy: 'not accepted as arguments' },
    ]
    await Promise.all(
      runs.map(async ({ words, key = '', remedy }) => {
        const { ended, output } = cli.start(words, { PAYMENTS_API_KEY: key, PAYMENTS_API_URL })
        expect((await ended).code, remedy).to.equal(1)
        expect(output.stderr).to.include(remedy)
        expect(output.stdout + output.stderr).to.not.match(/[sp]k_(test|live)_\w/)
      }),
    )
  })

  it("reads a key from a prompt that doesn't echo it", async () => {
    const [stdin, stderr] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()]
    const screen = text(stderr)
    const reading = readKey({ env: {}, stdin, stderr } as never, new AbortController().signal)
    stdin.end(`${merchant.key}\n`)
    expect(await reading).to.equal(merchant.key)
    stderr.end()
    expect(await screen).to.equal('Secret test key (sk_test_…, not shown): \n')
  })

  it('keeps a permanent signing secret in a file that only its owner can read', async () => {
    const secretOf = async (environment: Record<string, string> = {}) => {
      const { ended, output } = cli.start(['secret'], environment)
      await ended
      return output.stdout
    }
    const secrets = await Promise.all([secretOf(), secretOf(), secretOf()])
    expect(secrets[0]).to.match(/^[0-9a-f]{64}\n$/)
    expect(new Set(secrets).size).to.equal(1)
    expect((await stat(join(cli.folder, 'payment-intents/webhook-secret'))).mode & 0o777).to.equal(0o600)
    expect(await secretOf({ WEBHOOK_SECRET: 'f'.repeat(64) })).to.equal(`${'f'.repeat(64)}\n`)
  })
})
