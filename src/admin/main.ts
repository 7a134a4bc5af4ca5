import { Command } from 'commander'
import { scopes as allScopes, type Scope } from '../../schemas/scopes.ts'
import { switchApi } from '../businesses/api-switch.ts'
import { changeBusiness } from '../businesses/change-business.ts'
import { createBusiness } from '../businesses/create-business.ts'
import { issueKey } from '../businesses/issue-key.ts'
import { rotateKey } from '../businesses/rotate-key.ts'
import { setKeyStatus } from '../businesses/set-key-status.ts'
import { businessName, choice, ranges, seconds, someScopes } from './arguments.ts'
import { type AdminDeps, Failed, withAdminDeps } from './run.ts'

const defaultOverlapSeconds = 86_400

/** Wraps an act: opens MongoDB, prints what it answers as one JSON object (or as lines), exit code 0 only if done. */
const act =
  <Args extends unknown[]>(run: (deps: AdminDeps, ...args: Args) => Promise<Record<string, unknown>>) =>
  (...args: Args) =>
    withAdminDeps(program.opts<{ json?: boolean }>().json === true, (deps) => run(deps, ...args))

/** What is there no more is a failure, not an answer. */
function found<T>(value: T | null | false, what: string): T {
  if (value === null || value === false) throw new Failed(`${what}.`)
  return value
}

const program = new Command('admin')
  .description('Provisioning for operators')
  .option('--json', 'print one JSON object on stdout')
  .showHelpAfterError()
  .enablePositionalOptions(false)

const business = program.command('business').description('merchants')
business
  .command('create')
  .description('a new merchant')
  .requiredOption('--name <name>', 'its name, as customers see it', businessName)
  .option('--live', 'approved for live mode', false)
  .action(
    act(async (deps, { name, live }: { name: string; live: boolean }) => {
      const { _id: id } = await createBusiness(deps, { name, liveApproved: live })
      return { id }
    }),
  )

const businessChanges = {
  approve: ['approve for live mode', { liveApproved: true }],
  disable: ['switch its developer API off', { apiEnabled: false }],
  enable: ['switch its developer API on', { apiEnabled: true }],
} as const
for (const [name, [description, change]] of Object.entries(businessChanges))
  business
    .command(name)
    .description(description)
    .argument('<id>', 'id of the business')
    .action(
      act(async (deps, id: string) => {
        found(await changeBusiness(deps, id, change), `There is no business ${id}`)
        return { id, ...change }
      }),
    )

const api = program.command('api').description('the developer API as a whole')
for (const position of ['on', 'off'] as const)
  api
    .command(position)
    .description(`switch it ${position} for everybody, within 5 s on every process`)
    .action(
      act(async (deps) => {
        await switchApi(deps.Setting, position === 'on')
        return { api: position }
      }),
    )

interface KeyOptions {
  business: string
  mode: 'test' | 'live'
  kind: 'secret' | 'publishable'
  scopes?: Scope[]
  ip?: string[]
}

const key = program.command('key').description('API keys')
key
  .command('create')
  .description('issue a key; it is shown only here')
  .requiredOption('--business <id>', 'id of the business')
  .requiredOption('--mode <mode>', 'test or live', choice('test', 'live'))
  .requiredOption('--kind <kind>', 'secret or publishable', choice('secret', 'publishable'))
  .option('--scopes <list>', 'what it may do, comma-separated; without it everything', someScopes)
  .option('--ip <list>', 'addresses and CIDRs it may be used from, comma-separated; without it all', ranges)
  .action(
    act(async (deps, { business: businessId, mode, kind, scopes = [...allScopes], ip = [] }: KeyOptions) => {
      const issued = await issueKey(deps, { businessId, mode, kind, scopes, ipAllowlist: ip })
      return { ...found(issued, `There is no business ${businessId}`) }
    }),
  )

const keyStatuses = {
  suspend: ['refuse it until it is resumed', 'suspended'],
  resume: ['accept it again', 'active'],
  revoke: ['refuse it for good', 'revoked'],
} as const
for (const [name, [description, status]] of Object.entries(keyStatuses))
  key
    .command(name)
    .description(description)
    .argument('<id>', 'id of the key')
    .action(
      act(async (deps, id: string) => {
        found(await setKeyStatus(deps, id, status), `There is no key ${id} that could be ${status}`)
        return { id, status }
      }),
    )

key
  .command('rotate')
  .description('a new secret under the same id; the old one works a while longer')
  .argument('<id>', 'id of the key')
  .option('--overlap-seconds <n>', 'how long the old secret still works', seconds, defaultOverlapSeconds)
  .action(
    act(async (deps, id: string, { overlapSeconds }: { overlapSeconds: number }) => {
      return {
        ...found(await rotateKey(deps, id, overlapSeconds), `There is no key ${id} that could be rotated`),
      }
    }),
  )

await program.parseAsync()
