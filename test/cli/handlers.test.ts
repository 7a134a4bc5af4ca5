import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { signWebhook } from '../../clients/typescript/payments.ts'
import { freePort } from '../../dev/servers/free-port.ts'
import { newId } from '../../src/platform/ids.ts'
import { startCommand } from '../dev/command.ts'
import { fileOf, languageOf, librariesOf, programs } from '../docs/languages.ts'
import { skipUnlessHere, writeFiles } from '../docs/program.ts'
import { createIntent, deliveriesOf, relay, storedBody, subscribe } from '../support/actions.ts'
import { temporaryFolder } from '../support/built.ts'
import { withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { keyOf, withCli } from './start-cli.ts'

const secret = '84432cccd985fa567be32c6c93fa77de6c367a92a95fc52bcd275bc97f7745c3'
const handlers = programs.filter((program) => fileOf(program)?.startsWith('hooks.'))
const catchups = programs.filter((program) => fileOf(program)?.startsWith('catchup.'))

describe('A webhook handler in docs/merchants/quickstart.md', () => {
  const [service, cli] = [withService(), withCli()]

  it('is available for every language', () =>
    expect(handlers.map((handler) => languageOf(handler)?.name)).to.have.members(['Node', 'Python', 'PHP']))

  for (const handler of handlers)
    it(`handles each event once, rejects a forged one, and catches up after an outage: ${fileOf(handler)}`, async function () {
      const [language, file] = [languageOf(handler), fileOf(handler)]
      if (language === undefined || file === undefined) return expect.fail()
      skipUnlessHere(this, language.name, [language.command, '--version'], handler.page)
      const merchant = await service.merchant()
      for (const port of [7, 9]) await subscribe(service, merchant, `http://127.0.0.1:${port}/hook`)
      const [folder, port] = [temporaryFolder(), await freePort()]
      const catchup = catchups.find(({ fence }) => fence === language.fence)
      const catchupFile = `catchup.${language.extension}`
      const files = {
        ...librariesOf(language),
        [file]: handler.text.replace('4000', String(port)),
        [catchupFile]: catchup?.text ?? '',
      }
      await writeFiles(folder, files)
      const serve = language.name === 'PHP' ? ['-S', `localhost:${port}`] : []
      const env = { ...process.env, WEBHOOK_SECRET: secret }
      const running = startCommand([language.command, ...serve, file], { cwd: folder, env })
      try {
        const url = `http://localhost:${port}/hooks`
        const forge = () => fetch(url, { method: 'POST', body: '{}' }).then(({ status }) => status)
        expect(await waitFor('the handler listens', () => forge().catch(() => null))).to.equal(401)
        const event = JSON.stringify({ id: newId(), event: 'order.new' })
        const signed = { method: 'POST', body: event, headers: await signWebhook({ body: event, secret }) }
        await mkdir(join(folder, 'inbox.db'))
        await writeFile(join(folder, 'inbox'), 'This is no folder.')
        expect((await fetch(url, signed)).status).to.equal(500)
        for (const name of ['inbox', 'inbox.db']) await rm(join(folder, name), { recursive: true })
        const keys = { ...keyOf(merchant, service.origin), WEBHOOK_SECRET: secret }
        const listening = cli.start(['listen', '--forward', url], keys)
        await listening.ready()
        const { referenceNumber } = await createIntent(service, merchant)
        await relay(service, merchant)
        await listening.seen('→ 200')
        await waitFor('the handler has printed it', () => running.output.stdout.includes(referenceNumber))
        listening.kill('SIGINT')
        await listening.ended
        const { referenceNumber: second } = await createIntent(service, merchant)
        await relay(service, merchant)
        const deliveries = await deliveriesOf(service, merchant)
        expect(deliveries).to.have.length(4)
        for (const eventId of ['..', '.', '', 'a/b', deliveries[0]?._id ?? '', newId()])
          for (const delivery of deliveries) {
            const body = await storedBody(service, delivery)
            const headers = {
              ...(await signWebhook({ body, secret, brand: 'Service' })),
              'X-Service-Event-Id': eventId,
            }
            expect((await fetch(url, { method: 'POST', body, headers })).status).to.equal(200)
          }
        const { stdout } = running.output
        for (const reference of [referenceNumber, second]) expect(stdout.split(reference)).to.have.length(2)
        running.kill('SIGKILL')
        await running.ended
        await createIntent(service, merchant)
        await relay(service, merchant)
        const access = { ...process.env, BASE: `${service.origin}/api/v1`, KEY: merchant.key }
        const catchingUp = startCommand([language.command, catchupFile], { cwd: folder, env: access })
        await catchingUp.ended
        expect(catchingUp.output).to.deep.include({ stdout: 'New events: 1\n' })
      } finally {
        running.kill('SIGKILL')
        await running.ended
      }
    })
})
