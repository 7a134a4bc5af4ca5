import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { programOf } from '../support/built.ts'
import { hashCost, type Service, secretKey } from '../support/service.ts'
import { withOpened } from '../support/with.ts'
import { runHere } from './run-here.ts'

export type Outcome = { exitCode: number; stdout: string; stderr: string }
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The real command line, on the service's database but with an unreachable Redis. */
type Changes = Record<string, string | undefined>

export function openAdmin(service: Service) {
  const base = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    MONGODB_URL: service.deps.config.mongodbUrl,
    REDIS_URL: 'redis://127.0.0.1:1',
    SECRET_KEY: secretKey,
  }
  const withChanges = (changes: Changes) => ({ ...base, ...hashCost(changes), ...changes })
  const env = withChanges({})
  const program = programOf('src/admin/main')
  const run = (command: string, args: string[], changes: Changes, input = '') =>
    new Promise<Outcome>((resolve) => {
      const options = { cwd: root, env: withChanges(changes) }
      const child = execFile(command, args, options, (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      )
      child.stdin?.end(input)
    })
  const admin = (args: string[], changes: Changes = {}, input?: string) =>
    run(process.execPath, [program, ...args], changes, input)
  return {
    admin,
    start(args: string[]) {
      const child = execFile(process.execPath, [program, ...args], { cwd: root, env })
      return { kill: (signal: NodeJS.Signals) => child.kill(signal), ended: once(child, 'exit') }
    },
    throughNpm: (args: string[]) => run('npm', ['run', '--silent', 'admin', '--', ...args], {}),
    /** Runs a shell script in which `admin` is the command line. */
    inShell: (script: string) =>
      run('sh', ['-c', `admin() { '${process.execPath}' '${program}' "$@"; }; ${script}`], {}),
    here: (...args: string[]): Promise<Outcome> => runHere(args, env),
    hereWith: (changes: Record<string, string>, ...args: string[]) => runHere(args, withChanges(changes)),
    /** Throws if the command fails. Returns the JSON object that it printed. */
    async done(...args: string[]): Promise<Record<string, string>> {
      const { exitCode, stdout, stderr } = await runHere([...args, '--json'], env)
      if (exitCode !== 0) throw new Error(`admin ${args.join(' ')}: ${stderr}`)
      return JSON.parse(stdout)
    },
  }
}

export const withAdmin = (service: Service): ReturnType<typeof openAdmin> =>
  withOpened(async () => openAdmin(service))
