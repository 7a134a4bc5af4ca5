import type { Command } from 'commander'
import { createShop } from '../../store/shops/create-shop.ts'
import { act, found } from './act.ts'
import { businessName } from './arguments.ts'

/** `shop create`. That of the sandbox makes itself. */
export function addShopCommands(program: Command): void {
  const shop = program.command('shop').description('shops of merchants')
  shop
    .command('create')
    .description('create the live shop of a business, which has at most one')
    .requiredOption('--business <id>', 'id of the business')
    .requiredOption('--name <name>', 'its name', businessName)
    .action(
      act(async (deps, { business: businessId, name }: { business: string; name: string }) => {
        found(await deps.Business.exists({ _id: businessId }), `There is no business ${businessId}`)
        const made = await createShop(deps, { businessId, sandbox: false, name })
        return { id: found(made, `Business ${businessId} has a shop already`)._id }
      }),
    )
}
