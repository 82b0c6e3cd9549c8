// Runs the debugger in the workspace folder, where go tool finds the module's cudagen.
const vscode = require("vscode");

exports.activate = (context) => {
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory("cudagen", {
    createDebugAdapterDescriptor(session) {
      const [command, ...args] = session.configuration.adapter ?? ["go", "tool", "cudagen", "debug"];
      const folder = session.workspaceFolder?.uri.fsPath;
      return new vscode.DebugAdapterExecutable(command, args, folder && { cwd: folder });
    },
  }));
};
