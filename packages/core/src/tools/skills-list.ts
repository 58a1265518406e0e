import { z } from 'zod'
import { loadCatalogue } from '../skills/catalogue.ts'
import { sessionSkills } from '../skills/face-of-session.ts'
import { usableSkills } from '../skills/find-skill.ts'
import { scanSkillTexts } from '../skills/skill-text-scan.ts'
import { defineTool, jsonResult } from './tool.ts'

export const skillsList = defineTool({
  name: 'skills_list',
  toolset: 'skills',
  description: 'List the skills (ways to do a kind of task) that skill_view can load: name, description, category.',
  input: z.object({ category: z.string().optional().describe('Only this category') }),
  concurrency: 'parallel',
  preview: ({ category }) => category ?? 'all',
  async run({ category }, { agent, session }) {
    const scope = await sessionSkills(agent, session.sessionId)
    const [all, { categories: described }] = await Promise.all([usableSkills(scope), loadCatalogue(scope)])
    const wanted = category?.trim().replace(/\/$/, '')
    const chosen = wanted ? all.filter((one) => one.category === wanted || one.category.startsWith(`${wanted}/`)) : all
    const categories = [...new Set(all.map((one) => one.category))].sort()
    if (wanted && chosen.length === 0 && all.length > 0) {
      return jsonResult({ success: false, error: `There is no category "${wanted}".`, categories }, 'error')
    }
    const found = await scanSkillTexts(
      chosen.map(({ description }) => description),
      agent.home,
    )
    const skills = chosen.map(({ name, description, category }, at) => ({
      name,
      description: (found[at]?.length ?? 0) === 0 ? description : '(description withheld: it tries to steer the agent)',
      category,
    }))
    return jsonResult({
      success: true,
      skills,
      categories,
      ...(wanted && described.has(wanted) && { category_description: described.get(wanted) }),
      count: skills.length,
      hint:
        skills.length > 0
          ? 'Load one with skill_view(name).'
          : 'There are no skills. skill_manage(action: create) makes one.',
    })
  },
})
