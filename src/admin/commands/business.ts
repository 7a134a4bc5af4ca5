import type { Command } from 'commander'
import { changeBusiness } from '../../businesses/change-business.ts'
import { createBusiness } from '../../businesses/create-business.ts'
import { act, found } from './act.ts'
import { businessName } from './arguments.ts'

const changes = {
  approve: ['approve for live mode', { liveApproved: true }],
  disable: ['switch its developer API off', { apiEnabled: false }],
  enable: ['switch its developer API on', { apiEnabled: true }],
} as const

/** `business create`, and what may be changed of one. */
export function addBusinessCommands(program: Command): void {
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

  for (const [name, [description, change]] of Object.entries(changes))
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
}
