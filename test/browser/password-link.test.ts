import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import type { Browser } from 'playwright-core'
import { issuePasswordLink } from '../../src/staff/change-account.ts'
import { staffStylesheet } from '../../src/staff-pages/layout.ts'
import { operator, signedIn } from '../admin/staff.ts'
import { listen } from '../support/listen.ts'
import { withService } from '../support/service.ts'
import { pem } from '../webhooks/endpoint-servers.ts'
import { fillIn, startBrowser } from './browser.ts'

const password = 'trois petits chats gris'

describe('A password link in a browser', () => {
  const service = withService()
  let browser: Browser
  before(async () => void (browser = await startBrowser('--host-resolver-rules=MAP *.example.com 127.0.0.1')))
  after(() => browser.close())

  // Browsers send no Sec-Fetch-Site to a site without TLS, unless it's on the same machine.
  for (const site of ['https://staff.example.com', 'http://staff.example.com', 'http://localhost'])
    it(`never appears in a Referer header at ${site}`, async () => {
      const isSecure = site.startsWith('https:')
      const seen: { path: string; referrer: string | null }[] = []
      const forward: RequestListener = (req, res) => {
        const { method, url: path = '', headers } = req
        seen.push({ path, referrer: headers.referer ?? null })
        const passed = http.request(service.origin + path, { method, headers }, (response) => {
          response.pipe(res.writeHead(response.statusCode ?? 0, response.rawHeaders))
        })
        req.pipe(passed)
      }
      const certificate = { cert: pem('endpoint.pem'), key: pem('endpoint.key') }
      const front = await listen(
        isSecure ? https.createServer(certificate, forward) : http.createServer(forward),
      )
      const baseURL = `${site}:${front.port}`
      const context = await browser.newContext({ baseURL, ignoreHTTPSErrors: true })
      const page = await context.newPage()
      const { name } = await signedIn(service, 'viewer')
      const { link = '' } = (await issuePasswordLink(service.deps, name, operator)) ?? {}
      await page.goto(new URL(link).pathname)
      await page.getByLabel('New password', { exact: true }).fill(password)
      await page.getByLabel('New password again').fill(password)
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByRole('link', { name: 'Sign in' }).click()
      const signingIn = page.waitForResponse((response) => response.request().method() === 'POST')
      await fillIn(page, { name, password })
      expect((await signingIn).status()).to.equal(303)
      // The session cookie works only with TLS or on the same machine.
      if (site !== 'http://staff.example.com') {
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByLabel('Name').waitFor()
      }
      await context.close()
      await front.close()
      const paths = seen.map(({ path }) => path.replace(/\?.*/, ''))
      expect(paths).to.include.members([new URL(link).pathname, staffStylesheet.path, '/admin/sign-in'])
      const referrers = new Set(seen.map(({ referrer }) => referrer))
      expect([...referrers]).to.have.members([null, `${baseURL}/`])
    })
})
