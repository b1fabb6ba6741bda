-- Run by neovim_test.sh inside a headless Neovim that has kernel.cu open: optimises the kernel of the current folder and
-- applies the variant to the buffer. Leaves with an error message and exit code 1 otherwise.
local patience = 300 * 1000 -- ms

local function must(value, what)
  if value then return value end
  io.stderr:write('FAILED: ' .. what .. '\n')
  vim.cmd('cquit 1')
end

local messages, done = {}, false
vim.lsp.handlers['window/showMessage'] = function(_, result)
  table.insert(messages, result.message)
  done = done or result.message:find('improved') ~= nil
end
local buffer = vim.api.nvim_get_current_buf()
local given = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
must(given:find('__global__'), 'kernel.cu is not open')
local client
must(vim.wait(patience, function()
  for _, one in pairs(vim.lsp.buf_get_clients(buffer)) do client = one end
  return client and client.initialized and client.name == 'warpmind'
end, 20), 'no client of the configuration attached itself')
must(vim.wait(patience, function() return #vim.lsp.codelens.get(buffer) > 0 end, 20), 'no lens is shown')
client.notify('workspace/didChangeConfiguration', {
  settings = { warpmind = { evaluations = 1, provider = 'sim', predict = false } },
})

local function ask(method, params)
  local reply = must(client.request_sync(method, params, patience, buffer), 'no answer to ' .. method)
  must(not reply.err, method .. ': ' .. vim.inspect(reply.err))
  return reply.result
end
local document = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
local lenses = ask('textDocument/codeLens', document)
must(#lenses >= 2 and lenses[1].command.title == 'Optimize', 'lenses: ' .. vim.inspect(lenses))

ask('workspace/executeCommand', { command = lenses[1].command.command, arguments = lenses[1].command.arguments })
must(vim.wait(patience, function() return done end, 50), 'the job did not end: ' .. vim.inspect(messages))

local hover = ask('textDocument/hover', vim.tbl_extend('error', document, { position = lenses[1].range.start }))
must(hover and hover.contents.value:find('bottleneck'), 'hover: ' .. vim.inspect(hover))
local actions = ask('textDocument/codeAction', vim.tbl_extend('error', document, {
  range = lenses[1].range, context = { diagnostics = {} },
}))
must(#actions >= 1 and actions[1].edit, 'actions: ' .. vim.inspect(actions))
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
local better = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
must(better ~= given, 'the variant changed nothing')
local winner = ask('workspace/executeCommand', {
  command = 'warpmind.showResult', arguments = lenses[1].command.arguments,
})
must(better:sub(-#winner.better + 1) == winner.better:gsub('\n$', ''), 'the buffer is not the winning kernel')
print(actions[1].title)
vim.cmd('qall!')
